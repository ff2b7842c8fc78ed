/** Selects the events of one turn, and adds its outcome. */
import type { Session } from "@capstan/core";
import type { Turn, TurnResponse } from "@capstan/kernel";
import type { Cursor, SessionEvent } from "@capstan/log";
import { chainMark, compareCursors, TurnOfTree } from "@capstan/log";
import type { EventReader } from "../streaming/event-reader.ts";
import type { PublicView } from "../guard/public-view.ts";
import { streamFrame } from "../streaming/session-frames.ts";

/** Last frames of a turn's stream. */
export interface TurnEndings {
  /** `turnId` is undefined if there were no events: answers that repeat earlier ones start no turn. */
  complete(response: TurnResponse, turnId: string | undefined): string;
  /** Another process has deleted the session. */
  readonly gone: string;
}

/** Ends the stream after the turn. With a cursor the turn already existed, and its events after the cursor come from the log. */
export class TurnStream {
  readonly #session: Session;
  readonly #turnIdOf: () => string;
  readonly #ofTurn: TurnOfTree;
  readonly #after: Cursor | undefined;
  readonly #endings: TurnEndings;
  #response: TurnResponse | undefined;
  #hasBegun = false;
  #isSeen = false;
  #reader: EventReader | undefined;

  constructor(
    session: Session,
    { id }: Pick<Turn, "id">,
    after: Cursor | undefined,
    endings: TurnEndings,
  ) {
    this.#session = session;
    this.#turnIdOf = () => session.turnIdOf(id);
    this.#ofTurn = new TurnOfTree(session.id, this.#turnIdOf);
    this.#endings = endings;
    this.#after = after;
  }

  /** Whether an event belongs to this turn, or to a session that works for it, and is new to the reader. */
  readonly accepts = (event: SessionEvent, cursor: Cursor): boolean => {
    if (!this.#ofTurn.has(event)) return false;
    const { sessionId, type } = event;
    if (sessionId !== this.#session.id) return true;
    if (this.#after === undefined || compareCursors(cursor, this.#after) > 0) return true;
    if (type === "turn_end") this.#onEnd();
    return false;
  };

  readonly onEvent = ({ sessionId, type }: SessionEvent): void => {
    if (sessionId !== this.#session.id) return;
    this.#hasBegun = true;
    if (type === "turn_end") this.#onEnd();
  };

  follow(turn: Turn<unknown, SessionEvent>, reader: EventReader): void {
    this.#reader = reader;
    turn.response.then(
      (response) => {
        this.#response = response;
        this.#complete();
      },
      // A response never rejects.
      () => {},
    );
  }

  #onEnd(): void {
    this.#isSeen = true;
    this.#complete();
  }

  /** Completes once both are there: the response, and the last event on its way to the reader. A turn that never began has no events. */
  #complete(): void {
    if (this.#response === undefined) return;
    const hasEvents = this.#hasBegun || this.#after !== undefined;
    if (hasEvents && !this.#isSeen && !this.#isFailed) return this.#endEarly(this.#response);
    const turnId = hasEvents ? this.#turnIdOf() : undefined;
    this.#reader?.end(this.#endings.complete(this.#response, turnId));
  }

  /** Ends the stream if the turn gets no end event here. */
  #endEarly({ error }: TurnResponse): void {
    // Another process has deleted the session.
    if (error?.code === "not_found") this.#reader?.end(this.#endings.gone);
    // The turn continues elsewhere.
    if (error?.code === "host_closed") this.#reader?.endEarly("closing");
  }

  /** Whether the turn stopped without an end in the log, and no host continues it. */
  get #isFailed(): boolean {
    const code = this.#response?.error?.code;
    const isStopped = code === "engine_failed" || code === "set_aside";
    return isStopped && this.#session.status === "running";
  }
}

/** Endings with the outcome of the turn. */
export function outcomeEndings(view: PublicView): TurnEndings {
  return {
    gone: streamFrame({ type: "stream_end", reason: "deleted" }),
    complete: (response, turnId) =>
      streamFrame({
        type: "execute_complete",
        ...(turnId !== undefined && { turnId }),
        ...summaryOf(response, view),
      }),
  };
}

/** Omits the messages, which the events contain. */
function summaryOf(response: TurnResponse, view: PublicView): Readonly<Record<string, unknown>> {
  const { messages: _messages, text: _text, error, ...summary } = response;
  return error === undefined ? summary : { ...summary, error: view.error(error) };
}

/** Whether a turn with this id has started, so that its events must come from the log: its first message has the same id. */
export function hasStarted({ messages }: Session, turnId: string): boolean {
  const [first] = turnId.split(chainMark, 1);
  return messages.some(({ id }) => id === first);
}

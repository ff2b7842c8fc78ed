/** Handle of a turn whose events include those of the sessions below. */
import type { TurnResponse } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { SessionEvent, TreeListener } from "@capstan/log";
import { startCursor, TreeQueue, TurnOfTree } from "@capstan/log";
import { SessionTurn } from "./session-turn.ts";
import type { SubscribeFrom } from "./subscribe-after.ts";
import type { Turn } from "./turn.ts";

/** Functions of a session that such a handle uses. */
export interface TreeSession {
  readonly id: string;
  readonly messages: readonly { readonly id: string }[];
  turnIdOf(inputId: string): string;
  subscribe(listener: TreeListener, from: SubscribeFrom): () => void;
}

/** `send` starts the turn; `id` is that of the turn, if the caller has named it. */
export function sendInTree(session: TreeSession, id: string | undefined, send: () => Turn): Turn {
  const events = new TreeEvents(session);
  // A turn that was sent before has events before now.
  const isRepeat = id !== undefined && session.messages.some((message) => message.id === id);
  events.subscribe(isRepeat ? { after: startCursor } : {});
  const turn = send();
  // A session makes no others.
  if (turn instanceof SessionTurn) events.follow(turn);
  return {
    id: turn.id,
    get response() {
      return turn.response;
    },
    get partialOutput() {
      return turn.partialOutput;
    },
    events,
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    result: () => turn.result(),
    abort: (reason) => turn.abort(reason),
  };
}

class TreeEvents implements AsyncIterable<SessionEvent> {
  readonly #session: TreeSession;
  readonly #queue = new TreeQueue();
  /** Events that come before the handle of the turn. */
  #early: SessionEvent[] = [];
  #ofTurn: TurnOfTree | undefined;
  #turn: SessionTurn | undefined;
  #stop: () => void = () => {};

  constructor(session: TreeSession) {
    this.#session = session;
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEvent> {
    // The caller sees the error of the turn, if there is one.
    this.#turn?.lookAt();
    return this.#queue[Symbol.asyncIterator]();
  }

  subscribe(from: Pick<SubscribeFrom, "after">): void {
    const listener: TreeListener = (event) => this.#take(event);
    this.#stop = this.#session.subscribe(listener, {
      ...from,
      tree: true,
      onEnd: () => this.#end(),
    });
  }

  follow(turn: SessionTurn): void {
    this.#turn = turn;
    this.#ofTurn = new TurnOfTree(this.#session.id, () => this.#session.turnIdOf(turn.id));
    for (const event of this.#early.splice(0)) this.#take(event);
    background(
      turn.over.then((response) => this.#onOver(turn, response)),
      () => {},
    );
  }

  #take(event: SessionEvent): void {
    if (this.#ofTurn === undefined) this.#early.push(event);
    else if (this.#ofTurn.has(event)) this.#show(event);
  }

  #show(event: SessionEvent): void {
    this.#queue.push(event);
    if (event.type === "turn_end" && event.sessionId === this.#session.id) this.#end();
  }

  /** A turn that never began has no end event. */
  #onOver({ id: turnId, hasBegun }: SessionTurn, { error }: TurnResponse): void {
    if (hasBegun) return;
    const { id: sessionId } = this.#session;
    if (error !== undefined) this.#queue.push({ type: "error", sessionId, turnId, error });
    this.#end();
  }

  #end(): void {
    this.#queue.end();
    this.#stop();
  }
}

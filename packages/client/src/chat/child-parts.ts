/** Chunks of a reply with what child sessions do in the meantime, as the route for pages sends them. */
import type { SessionEvent } from "@capstan/log";
import type { Chunk, DueChunks } from "@capstan/log/chat";
import { ChildChunks } from "@capstan/log/chat";
import type { ClientSession } from "../session/client-session.ts";
import { OwnEvents } from "../tree/own-events.ts";

/** Takes the events of a tree. */
export class ChildParts {
  readonly #session: ClientSession;
  readonly #own: OwnEvents;
  /** Undefined until the session's first event. */
  #chunks: ChildChunks | undefined;
  /** Events of children before that. */
  #early: SessionEvent[] = [];

  constructor(session: ClientSession) {
    this.#session = session;
    this.#own = new OwnEvents(session);
  }

  /** Returns whether the event is one of the session itself. */
  take(event: SessionEvent): boolean {
    const isOwn = this.#own.has(event);
    if (isOwn) this.#chunks ??= this.#begin(event);
    if (this.#chunks === undefined) this.#early.push(event);
    else this.#chunks.take(event);
    return isOwn;
  }

  get dueInMs(): number | undefined {
    return this.#chunks?.dueInMs;
  }

  /** Chunks that are due now. */
  due(): readonly Chunk[] {
    return shown(this.#chunks?.due());
  }

  /** Everything that the page does not have. */
  rest(): readonly Chunk[] {
    return shown(this.#chunks?.rest());
  }

  #begin({ sessionId }: SessionEvent): ChildChunks {
    const atWork = this.#session.children.filter(
      ({ parentId, outcome }) => parentId === sessionId && outcome === undefined,
    );
    const children = atWork.map(({ id, agent, toolCallId }) => ({
      agent,
      sessionId: id,
      toolCallId,
    }));
    const chunks = new ChildChunks({ sessionId, children, now: Date.now });
    for (const event of this.#early.splice(0)) chunks.take(event);
    return chunks;
  }
}

function shown(due: DueChunks | undefined): readonly Chunk[] {
  due?.onShown();
  return due?.chunks ?? [];
}

/** Tells the events of a session from those of the sessions below it: the client may know the session by a key of its own. */
import type { SessionEvent } from "@capstan/log";
import type { ClientSession } from "../session/client-session.ts";

export class OwnEvents {
  readonly #session: ClientSession;
  #ownId: string | undefined;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Asked for events of a stream of the tree, which names children before their events. */
  has({ sessionId }: SessionEvent): boolean {
    const isChild = (): boolean => this.#session.children.some(({ id }) => id === sessionId);
    if (this.#ownId === undefined && !isChild()) this.#ownId = sessionId;
    return sessionId === this.#ownId;
  }
}

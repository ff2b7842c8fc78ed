/** Events of a turn and of the sessions below: the session's own come from the handle of the turn, the others from a stream of the tree. */
import { background } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { chainMark, formatCursor, TreeQueue } from "@capstan/log";
import type { ClientSession } from "../session/client-session.ts";
import { OwnEvents } from "./own-events.ts";

export class TreeEvents implements AsyncIterable<SessionEvent> {
  readonly #session: ClientSession;
  readonly #own: OwnEvents;
  readonly #queue = new TreeQueue();
  /** Turns of the session whose end the stream of the tree has shown: everything of their children was before it. */
  readonly #ended = new Set<string>();
  #onEnded: (() => void) | undefined;
  #isLost = false;
  #hadEnded: (turnId: string) => boolean = () => false;
  #stop: () => void = () => {};

  constructor(session: ClientSession) {
    this.#session = session;
    this.#own = new OwnEvents(session);
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  /** Follows the tree after what is known of the session. Must be called before the turn is sent. */
  async begin(): Promise<void> {
    // A failure is that of the send, too.
    await this.#session.refresh().catch(() => {});
    this.#hadEnded = endedTurns(this.#session);
    this.#stop = this.#session.subscribe((event) => this.#take(event), {
      tree: true,
      after: formatCursor(this.#session.cursor),
      onError: ({ isPassing }) => {
        if (!isPassing) this.#lose();
      },
    });
  }

  /** Takes the session's own events from here, up to their end. */
  follow(own: AsyncIterable<SessionEvent>): void {
    const end = (): void => {
      this.#stop();
      this.#queue.end();
    };
    // Handles report their failures as events.
    background(this.#read(own).finally(end), () => {});
  }

  #take(event: SessionEvent): void {
    const isOwn = this.#own.has(event);
    if (isOwn && event.type === "turn_end") {
      this.#ended.add(event.turnId);
      this.#onEnded?.();
    } else if (!isOwn && event.type !== "settled") this.#queue.push(event);
  }

  async #read(own: AsyncIterable<SessionEvent>): Promise<void> {
    let end: SessionEvent | undefined;
    for await (const event of own) {
      if (end !== undefined) this.#queue.push(end);
      // Held back until it is known whether it is the last one.
      end = event.type === "turn_end" ? event : undefined;
      if (end === undefined) this.#queue.push(event);
    }
    if (end === undefined) return;
    const { turnId } = end;
    while (!this.#isLost && !this.#ended.has(turnId) && !this.#hadEnded(turnId)) {
      await new Promise<void>((resolve) => (this.#onEnded = resolve));
    }
    this.#queue.push(end);
  }

  #lose(): void {
    this.#isLost = true;
    this.#onEnded?.();
  }
}

/** Tells which turns have ended by now: a turn that is sent again may be one of them. */
function endedTurns({ state, lastTurnId = "" }: ClientSession): (turnId: string) => boolean {
  const ids = new Set(state.messages.map(({ id }) => id));
  const isRunning = state.status === "running";
  const [lastRoot, lastIndex] = partsOf(lastTurnId);
  return (turnId) => {
    const [root, index] = partsOf(turnId);
    if (root !== lastRoot) return ids.has(root);
    return index < lastIndex || (index === lastIndex && !isRunning);
  };
}

/** Id of the first turn of a chain, and the number of the turn in it. */
function partsOf(turnId: string): readonly [root: string, index: number] {
  const [root = turnId, index = "1"] = turnId.split(chainMark);
  return [root, Number(index)];
}

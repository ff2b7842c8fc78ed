/** Queue between a tree of sessions and a reader that may be slow: bounded, and never with a gap in the facts. */
import { LiveView, TurnError } from "@capstan/kernel";
import { isLiveOnly } from "./live-only.ts";
import type { SessionEvent } from "./session-event.ts";

/** If unread deltas exceed this number, or this size in characters, a snapshot of each turn replaces the live events. */
const maxUnreadDeltas = 10_000;
const maxUnreadChars = 1_000_000;

const alreadyRead =
  "These events are already being read: forward them from that reader, or subscribe with tree: true";

/** For one reader: when it leaves, the rest is dropped. `push` and `end` never fail. */
export class TreeQueue implements AsyncIterable<SessionEvent> {
  #unread: SessionEvent[] = [];
  #unreadDeltas = 0;
  #unreadChars = 0;
  /** Live content of each turn under way. */
  readonly #views = new Map<string, LiveView>();
  #wake: (() => void) | undefined;
  #isEnded = false;
  #isRead = false;

  push(event: SessionEvent): void {
    if (this.#isEnded) return;
    this.#viewOf(event).apply(event);
    this.#unread.push(event);
    if ("delta" in event) {
      this.#unreadDeltas += 1;
      this.#unreadChars += event.delta.length;
      const isFull = this.#unreadDeltas > maxUnreadDeltas || this.#unreadChars > maxUnreadChars;
      if (isFull) this.#collapse();
    } else if (event.type === "turn_end") this.#views.delete(event.turnId);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void> {
    if (this.#isRead) throw new TurnError("already_read", alreadyRead);
    this.#isRead = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<SessionEvent, void> {
    try {
      for (;;) {
        const events = this.#unread;
        this.#unread = [];
        this.#unreadDeltas = 0;
        this.#unreadChars = 0;
        yield* events;
        if (this.#unread.length > 0) continue;
        if (this.#isEnded) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#isEnded = true;
      this.#unread = [];
    }
  }

  #viewOf({ turnId }: SessionEvent): LiveView {
    let view = this.#views.get(turnId);
    if (view === undefined) this.#views.set(turnId, (view = new LiveView()));
    return view;
  }

  /** Facts stay, in order. The snapshots follow: each has the content of its turn up to now. */
  #collapse(): void {
    const live = new Map<string, SessionEvent>();
    for (const event of this.#unread) if (isLiveOnly(event)) live.set(event.turnId, event);
    this.#unread = this.#unread.filter((event) => !isLiveOnly(event));
    this.#unreadDeltas = 0;
    this.#unreadChars = 0;
    for (const { sessionId, turnId } of live.values()) {
      const view = this.#views.get(turnId);
      if (view === undefined) continue;
      this.#unread.push({ type: "snapshot", sessionId, turnId, ...view.snapshot() });
    }
  }
}

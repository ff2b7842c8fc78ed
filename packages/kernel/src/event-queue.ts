/** Events between a turn that must not wait and a reader that may: bounded, and never with a gap in the facts. */
import type { AgentEvent } from "./contracts/events.ts";
import { LiveView } from "./live-view.ts";

/** Unread deltas above this size, in characters, become one snapshot. */
const maxUnreadChars = 1_000_000;

type DeltaEvent = Extract<AgentEvent, { readonly delta: string }>;

/**
 * One reader. Unread deltas of one part merge; when too much is unread, deltas give way to a snapshot of what they said.
 * When the reader leaves, the rest is dropped. `push` and `end` never fail.
 */
export class EventQueue implements AsyncIterable<AgentEvent> {
  readonly #view = new LiveView();
  #unread: AgentEvent[] = [];
  #head = 0;
  #unreadChars = 0;
  /** The last unread event if this queue made it by merging, and may therefore change it. */
  #merged: { delta: string } | undefined;
  #waiting: ((result: IteratorResult<AgentEvent>) => void) | undefined;
  #isEnded = false;
  #isRead = false;
  #hasLeft = false;

  push(event: AgentEvent): void {
    if (this.#isEnded || this.#hasLeft) return;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      this.#view.apply(event);
      waiting({ value: event, done: false });
      return;
    }
    if (!("delta" in event)) {
      this.#merged = undefined;
      this.#unread.push(event);
      return;
    }
    this.#unreadChars += event.delta.length;
    if (!this.#merge(event)) this.#unread.push(event);
    if (this.#unreadChars > maxUnreadChars) this.#collapse(event);
  }

  end(): void {
    this.#isEnded = true;
    this.#waiting?.({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    if (this.#isRead) throw new Error("These events are already being read: a turn has one reader");
    this.#isRead = true;
    return { next: () => this.#next(), return: () => this.#leave() };
  }

  #next(): Promise<IteratorResult<AgentEvent>> {
    const event = this.#unread[this.#head];
    if (event !== undefined) return Promise.resolve({ value: this.#take(event), done: false });
    if (this.#isEnded || this.#hasLeft) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #take(event: AgentEvent): AgentEvent {
    this.#head++;
    if (this.#head === this.#unread.length) {
      this.#unread = [];
      this.#head = 0;
      this.#merged = undefined;
      this.#unreadChars = 0;
    } else if ("delta" in event) this.#unreadChars -= event.delta.length;
    this.#view.apply(event);
    return event;
  }

  #leave(): Promise<IteratorResult<AgentEvent>> {
    this.#hasLeft = true;
    this.#unread = [];
    this.#head = 0;
    return Promise.resolve({ value: undefined, done: true });
  }

  #merge(event: DeltaEvent): boolean {
    const last = this.#head < this.#unread.length ? this.#unread.at(-1) : undefined;
    if (last === undefined || !isSamePart(last, event)) {
      this.#merged = undefined;
      return false;
    }
    if (this.#merged === undefined) {
      // The event is shared with other readers, so the first merger makes a copy.
      const merged = { ...last, delta: last.delta + event.delta };
      this.#merged = merged;
      this.#unread[this.#unread.length - 1] = merged;
    } else this.#merged.delta += event.delta;
    return true;
  }

  /** Drops what is only live and puts one snapshot in its place. Facts stay, in their order. */
  #collapse(newest: AgentEvent): void {
    const unread = this.#unread.slice(this.#head);
    for (const event of unread) this.#view.apply(event);
    const { conversationId, turnId } = newest;
    this.#unread = unread.filter((event) => !isLiveContent(event));
    this.#unread.push({ type: "snapshot", conversationId, turnId, ...this.#view.snapshot() });
    this.#head = 0;
    this.#unreadChars = 0;
    this.#merged = undefined;
  }
}

function isSamePart(last: AgentEvent, event: DeltaEvent): last is DeltaEvent {
  if (last.type !== event.type) return false;
  if (last.type === "toolcall_delta" && event.type === "toolcall_delta") {
    return last.index === event.index;
  }
  if (last.type === "tool_execution_delta" && event.type === "tool_execution_delta") {
    return last.toolCallId === event.toolCallId;
  }
  return true;
}

/** Events that a snapshot stands for. */
function isLiveContent(event: AgentEvent): boolean {
  switch (event.type) {
    case "text_start":
    case "text_delta":
    case "text_end":
    case "thinking_start":
    case "thinking_delta":
    case "thinking_end":
    case "toolcall_start":
    case "toolcall_delta":
    case "toolcall_end":
    case "tool_execution_start":
    case "tool_execution_delta":
    case "snapshot":
      return true;
    default:
      return false;
  }
}

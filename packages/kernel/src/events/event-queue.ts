/** Queue between a turn that must not wait and a reader that may: bounded, and never with a gap in the facts. */
import type { AgentEvent, AgentEventBody, EventIds } from "../contracts/events.ts";
import { TurnError } from "../errors/errors.ts";
import { LiveView } from "./live-view.ts";

/** If unread deltas exceed this size, in characters, they become one snapshot. */
const maxUnreadChars = 1_000_000;

/** A reader that lags by fewer events is only waiting for its microtask: it gets every delta unmerged. */
const mergeFrom = 32;

type Delta = Extract<AgentEventBody, { readonly delta: string }>;
type FieldOf<Body> = Body extends unknown ? keyof Body : never;

/** Fields of deltas that are not ids. */
const bodyFields: Readonly<Record<FieldOf<Delta>, true>> = {
  type: true,
  delta: true,
  index: true,
  toolCallId: true,
};

/**
 * Queue of one reader. Unread deltas of one part are merged; if too much is unread, a snapshot of their content replaces the deltas. When
 * the reader leaves, the rest is dropped. `push` and `end` never fail.
 */
export class EventQueue<
  Event extends AgentEvent<EventIds> = AgentEvent,
> implements AsyncIterable<Event> {
  readonly #view = new LiveView();
  /** Slots are reused once the reader has caught up, so that a reader that keeps up costs no new list. */
  readonly #slots: (Event | undefined)[] = [];
  #head = 0;
  #tail = 0;
  #unreadChars = 0;
  /** Last unread event, if this queue created it by merging and may therefore change it. */
  #merged: { delta: string } | undefined;
  /** The read that waits for an event. */
  #waiting: ((result: IteratorResult<Event>) => void) | undefined;
  /** Further waiting reads, in order; a plain loop has none. */
  #alsoWaiting: ((result: IteratorResult<Event>) => void)[] | undefined;
  #isEnded = false;
  #isRead = false;
  #hasLeft = false;

  push(event: Event): void {
    if (this.#isEnded || this.#hasLeft) return;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = this.#alsoWaiting?.shift();
      this.#view.apply(event);
      waiting({ value: event, done: false });
    } else if (isDelta(event)) this.#addDelta(event);
    else this.#add(event);
  }

  end(): void {
    this.#isEnded = true;
    this.#release();
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    if (this.#isRead) throw alreadyRead();
    this.#isRead = true;
    return { next: () => this.#next(), return: () => this.#leave() };
  }

  #next(): Promise<IteratorResult<Event>> {
    if (this.#head < this.#tail) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#isEnded || this.#hasLeft) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      if (this.#waiting === undefined) this.#waiting = resolve;
      else (this.#alsoWaiting ??= []).push(resolve);
    });
  }

  #take(): Event {
    // The caller has checked that there is one.
    const event = this.#slots[this.#head] as Event;
    this.#slots[this.#head++] = undefined;
    if (this.#head === this.#tail) this.#reset();
    else if (isDelta(event)) this.#unreadChars -= event.delta.length;
    this.#view.apply(event);
    return event;
  }

  #leave(): Promise<IteratorResult<Event>> {
    this.#hasLeft = true;
    this.#slots.length = 0;
    this.#reset();
    this.#release();
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Ends the waiting reads: no more events will come. */
  #release(): void {
    const waiting =
      this.#waiting === undefined ? [] : [this.#waiting, ...(this.#alsoWaiting ?? [])];
    this.#waiting = undefined;
    this.#alsoWaiting = undefined;
    for (const resolve of waiting) resolve({ value: undefined, done: true });
  }

  #reset(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#unreadChars = 0;
    this.#merged = undefined;
  }

  #add(event: Event): void {
    this.#slots[this.#tail++] = event;
    this.#merged = undefined;
  }

  #addDelta(event: Event & Delta): void {
    this.#unreadChars += event.delta.length;
    if (!this.#merge(event)) this.#add(event);
    if (this.#unreadChars > maxUnreadChars) this.#collapse(event);
  }

  #merge(event: Event & Delta): boolean {
    const last = this.#tail - this.#head < mergeFrom ? undefined : this.#slots[this.#tail - 1];
    if (last === undefined || !isSamePart(last, event)) return false;
    if (this.#merged === undefined) {
      // The event is shared with other readers, so the first merge makes a copy.
      const merged = { ...last, delta: last.delta + event.delta };
      this.#merged = merged;
      this.#slots[this.#tail - 1] = merged;
    } else this.#merged.delta += event.delta;
    return true;
  }

  /** Replaces live-only events by one snapshot. Facts stay, in order. */
  #collapse(last: Event & Delta): void {
    const unread = this.#slots.slice(this.#head, this.#tail).filter((event) => event !== undefined);
    for (const event of unread) this.#view.apply(event);
    this.#slots.length = 0;
    this.#reset();
    for (const event of unread) if (!isLiveContent(event)) this.#add(event);
    this.#add(this.#snapshotLike(last));
  }

  /** Returns a snapshot with the ids of this event. */
  #snapshotLike(delta: Event & Delta): Event {
    const ids = Object.entries(delta).filter(([field]) => !(field in bodyFields));
    // The type of the ids is lost in the list, not the ids.
    return { ...Object.fromEntries(ids), type: "snapshot", ...this.#view.snapshot() } as Event;
  }
}

function isDelta<Event extends AgentEventBody>(event: Event): event is Event & Delta {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
    case "tool_execution_delta":
      return true;
    default:
      return false;
  }
}

function alreadyRead(): TurnError {
  const message =
    "These events are already being read: a turn has one reader. Forward the events from that reader, or await `response`";
  return new TurnError("already_read", message);
}

function isSamePart<Event extends AgentEventBody>(
  last: Event,
  event: Delta,
): last is Event & Delta {
  if (last.type !== event.type) return false;
  if (last.type === "toolcall_delta" && event.type === "toolcall_delta") {
    return last.index === event.index;
  }
  if (last.type === "tool_execution_delta" && event.type === "tool_execution_delta") {
    return last.toolCallId === event.toolCallId;
  }
  return true;
}

/** Whether a snapshot can replace the event. */
function isLiveContent({ type }: AgentEventBody): boolean {
  switch (type) {
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
    case "nested_call_start":
    case "tool_execution_delta":
    case "snapshot":
      return true;
    default:
      return false;
  }
}

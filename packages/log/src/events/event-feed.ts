/** The events of a session as its readers get them, from entries and from what is live: the same for its owner and for a follower. */
import type { AgentEvent, AgentEventBody, LiveMessage } from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import { boundSnapshot } from "./bound-snapshot.ts";
import { compareCursors, startCursor } from "./cursor.ts";
import type { Cursor } from "./cursor.ts";
import type { Entry, EntryOf, StoredEntry } from "../entries/entries.ts";
import type { PlacedEvent } from "./events-of.ts";
import { EntryEvents } from "./events-of.ts";
import { incarnationOf } from "../entries/incarnation.ts";
import { parseEntry } from "../entries/parse-entry.ts";
import type { LiveFrame } from "../repository/repository.ts";
import { SessionFold } from "../folds/session-fold.ts";

/** How many events of entries are kept for readers that missed the last of them; up to twice as many. */
const keptEvents = 128;

type Snapshot = Extract<AgentEventBody, { readonly type: "snapshot" }>;

/**
 * Live events are numbered behind the last entry that had events of its own: entries without them, posted ones above all, move nothing,
 * because the owner and a follower get to know them at different times. A `turn_resumed` always moves the place: what the owner
 * before it showed behind the same entry must not be taken for what the new one shows.
 */
export class EventFeed {
  readonly sessionId: string;
  /** The state behind all entries that were taken. */
  readonly fold: SessionFold = new SessionFold();
  readonly #events: EntryEvents;
  #view = new LiveView();
  #seq = 0;
  /** Of the entry at `#seq`: how many events it has, and how many there are with the live ones behind it. */
  #entryCount = 0;
  #count = 0;
  /** What was live when the entry at `#seq` came, for followers that did not see it begin. */
  #carried: Snapshot | undefined;
  /** Whether a reader that has seen all entries lacks something: a live event, or that what was live is gone. */
  #isBeyondLog = false;
  /** The last event, if it said that nothing more will run by itself. */
  #settled: PlacedEvent | undefined;
  #epoch = 0;
  /** The last events of entries, all of those behind `#recentFrom`. */
  #recent: PlacedEvent[] = [];
  #recentFrom: Cursor = startCursor;
  /** One for all readers that ask at the same moment: it is serialised once. */
  #current: PlacedEvent | undefined;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    this.#events = new EntryEvents(sessionId);
  }

  /** Of the last event. */
  get cursor(): Cursor {
    return { seq: this.#seq, n: this.#count };
  }

  /** The highest that is known. Frames of an older one are dropped. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The reply that is being written, as far as it is known here. */
  get openMessage(): LiveMessage | undefined {
    return this.#view.snapshot().message;
  }

  /** The feed is the owner's from now on: its frames carry the epoch of the lease. */
  own(epoch: number): void {
    this.#epoch = epoch;
  }

  /**
   * The events of new entries, which follow in order. Those that were taken before are passed over, so reads may overlap. Where another
   * owner goes on and tool outputs were live, a snapshot without them follows.
   */
  take(entries: readonly Entry[]): PlacedEvent[] {
    const placed: PlacedEvent[] = [];
    for (const entry of entries) this.#takeOne(entry.seq, entry, placed);
    return placed;
  }

  /** The same for what a store holds. */
  takeStored(stored: readonly StoredEntry[]): PlacedEvent[] {
    const placed: PlacedEvent[] = [];
    for (const each of stored) this.#takeOne(each.seq, parseEntry(each), placed);
    return placed;
  }

  /** For the owner: gives a live-only event its place. */
  live(event: AgentEvent): PlacedEvent {
    const placed = { cursor: { seq: this.#seq, n: this.#count + 1 }, event };
    this.#show(placed);
    return placed;
  }

  /** What a reader that joins now needs to see of what is live; undefined if nothing is. */
  snapshot(): PlacedEvent | undefined {
    return this.#view.isEmpty ? undefined : this.#currentSnapshot();
  }

  /** All that is live, be it nothing. */
  liveSnapshot(): Snapshot {
    return this.#snapshot();
  }

  /**
   * For a follower: the events of a frame that are new. "behind": it follows an entry that was not taken yet, or is of another session of this
   * id, so read the log and try it again. "gap": events are missing before it, so ask for a snapshot. What is late, doubled or of a former owner gives nothing.
   */
  frame(frame: LiveFrame): PlacedEvent[] | "behind" | "gap" {
    if (frame.epoch < this.#epoch || frame.seq < this.#seq) return [];
    if (frame.seq > this.fold.seq || this.#isOfAnother(frame)) return "behind";
    this.#epoch = frame.epoch;
    // Only a newer program knows what events that entry has.
    if (frame.seq > this.#seq) this.#moveTo(frame.seq, 0);
    const placed: PlacedEvent[] = [];
    let isGap = false;
    for (const [index, body] of frame.events.entries()) {
      const n = frame.from + index;
      const isSnapshot = body.type === "snapshot";
      // One at the last event of an entry is news to whoever has seen nothing else behind that entry.
      const isNew = n > this.#count || (isSnapshot && n === this.#count && !this.#isBeyondLog);
      isGap = n > this.#count + 1 && !isSnapshot;
      if (!isNew || isGap) continue;
      const event = this.#place(body, n, frame.turnId);
      this.#show(event);
      placed.push(event);
    }
    return isGap ? "gap" : placed;
  }

  /**
   * For the owner: these live events, as far as no entry has come behind them, for followers elsewhere. The first frame behind an entry
   * says what was live before it, so that whatever frame is lost, the next one fits or shows a gap. Undefined if there is nothing
   * to say.
   */
  toFrame(events: readonly PlacedEvent[]): LiveFrame | undefined {
    const current = events.filter(({ cursor }) => cursor.seq === this.#seq);
    const [first] = current;
    const bodies = current.map(({ event }) => bodyOf(event));
    const isFirst = first === undefined || first.cursor.n === this.#entryCount + 1;
    // Between two turns it may be of none.
    const turnId = first?.event.turnId;
    if (isFirst && this.#carried !== undefined) {
      return this.#toFrame(this.#entryCount, [this.#carried, ...bodies], turnId);
    }
    return first && this.#toFrame(first.cursor.n, bodies, turnId);
  }

  /** For the owner, when somebody follows: all that is live, in the place of all live events so far. */
  snapshotFrame(): LiveFrame {
    return this.#toFrame(this.#count, [this.#snapshot()]);
  }

  /**
   * The events that a reader at this cursor has not seen, up to the feed's last. `stored` is the log from its beginning, at least as far
   * as the feed has taken it. Live events are not kept: one snapshot stands for those that the reader has missed. A reader that
   * was further than the feed gets nothing, and has to pass over what the feed gives up to its own cursor.
   */
  eventsAfter(cursor: Cursor, stored: readonly StoredEntry[]): PlacedEvent[] {
    const known = stored.filter(({ seq }) => seq <= this.fold.seq);
    return this.withLive(cursor, new EventFeed(this.sessionId).takeStored(known));
  }

  /** The same without the log, for a reader that has missed little. Undefined if it has missed more than is kept here. */
  recentEventsAfter(cursor: Cursor): PlacedEvent[] | undefined {
    if (compareCursors(cursor, this.#recentFrom) < 0) return undefined;
    return this.withLive(cursor, this.#recent);
  }

  /** The same, given the events of all entries, or at least of those behind the cursor. */
  withLive(cursor: Cursor, facts: readonly PlacedEvent[]): PlacedEvent[] {
    const missed = facts.filter((placed) => compareCursors(placed.cursor, cursor) > 0);
    if (compareCursors(this.cursor, cursor) <= 0) return missed;
    if (!this.#isBeyondLog && this.#carried === undefined) return missed;
    return [...missed, this.#settled ?? this.#currentSnapshot()];
  }

  #currentSnapshot(): PlacedEvent {
    return (this.#current ??= this.#place(this.#snapshot(), this.#count, this.#turnId));
  }

  #isOfAnother({ incarnation }: LiveFrame): boolean {
    const { created } = this.fold;
    return incarnation !== undefined && created !== undefined
      ? incarnation !== incarnationOf(created)
      : false;
  }

  get #turnId(): string {
    return this.fold.turn?.turnId ?? "";
  }

  #takeOne(seq: number, entry: Entry | undefined, placed: PlacedEvent[]): void {
    if (seq <= this.fold.seq) return;
    if (entry === undefined) return this.fold.skip(seq);
    const first = placed.length;
    const count = this.#events.place(entry, this.fold, placed);
    this.fold.apply(entry);
    // Every place below the length is taken.
    for (let i = first; i < placed.length; i++) {
      const fact = placed[i] as PlacedEvent;
      this.#view.apply(fact.event);
      this.#recent.push(fact);
    }
    if (this.#recent.length >= 2 * keptEvents) this.#forgetOld();
    if (entry.type === "turn_resumed") placed.push(...this.#resume(entry, count));
    else if (count > 0) this.#moveTo(seq, count);
  }

  /** What ran in the process before is gone. */
  #resume({ seq, epoch }: EntryOf<"turn_resumed">, count: number): PlacedEvent[] {
    const wasLive = !this.#view.isEmpty;
    this.#epoch = Math.max(this.#epoch, epoch);
    this.#view = new LiveView();
    this.#moveTo(seq, count);
    this.#isBeyondLog = true;
    return wasLive ? [this.#place(this.#snapshot(), count, this.#turnId)] : [];
  }

  #forgetOld(): void {
    const forgotten = this.#recent.length - keptEvents;
    this.#recentFrom = (this.#recent[forgotten - 1] as PlacedEvent).cursor;
    this.#recent = this.#recent.slice(forgotten);
  }

  #moveTo(seq: number, count: number): void {
    this.#current = undefined;
    this.#seq = seq;
    this.#entryCount = count;
    this.#count = count;
    this.#isBeyondLog = false;
    this.#settled = undefined;
    this.#carried = this.#view.isEmpty ? undefined : this.#snapshot();
  }

  #show(placed: PlacedEvent): void {
    const { cursor, event } = placed;
    this.#count = cursor.n;
    this.#isBeyondLog = true;
    this.#current = undefined;
    this.#view.apply(event);
    this.#settled = event.type === "settled" ? placed : undefined;
  }

  #snapshot(): Snapshot {
    return { type: "snapshot", ...boundSnapshot(this.#view.snapshot()) };
  }

  #place(body: AgentEventBody, n: number, turnId: string): PlacedEvent {
    const event = { ...body, conversationId: this.sessionId, turnId };
    return { cursor: { seq: this.#seq, n }, event };
  }

  #toFrame(
    from: number,
    events: readonly AgentEventBody[],
    turnId: string = this.#turnId,
  ): LiveFrame {
    const { created } = this.fold;
    const place = { epoch: this.#epoch, seq: this.#seq, from, turnId, events };
    return created === undefined ? place : { ...place, incarnation: incarnationOf(created) };
  }
}

function bodyOf(event: AgentEvent): AgentEventBody {
  const { conversationId: _conversationId, turnId: _turnId, ...body } = event;
  return body;
}

/** Events of a session as its readers get them, from entries and from live events: identical for its owner and for a follower. */
import type { AgentEventBody, ChatMessage } from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import { boundSnapshot } from "./bound-snapshot.ts";
import { compareCursors, startCursor } from "./cursor.ts";
import type { Cursor } from "./cursor.ts";
import type { Entry, EntryOf, StoredEntry } from "../entries/entries.ts";
import type { PlacedEvent } from "./events-of.ts";
import { EntryEvents } from "./events-of.ts";
import { incarnationOf } from "../entries/incarnation.ts";
import { parseEntry } from "../entries/parse-entry.ts";
import type { Checkpoint } from "../folds/checkpoint.ts";
import { checksumOf } from "../folds/checksum.ts";
import type { SavedFold } from "../folds/saved-fold.ts";
import { savedFoldVersion } from "../folds/saved-fold.ts";
import { RecentEvents } from "./recent-events.ts";
import type { LiveFrame } from "../repository/repository.ts";
import { SessionFold } from "../folds/session-fold.ts";
import type { SessionEvent } from "./session-event.ts";

type Snapshot = Extract<AgentEventBody, { readonly type: "snapshot" }>;

/**
 * Live events are numbered after the last entry that had events: entries without events, mainly posted ones, change no cursor, because the
 * owner and a follower learn of them at different times. A `turn_resumed` always moves the cursor: events that the previous owner showed
 * after the same entry must not be mistaken for those of the new one.
 */
export class EventFeed {
  readonly sessionId: string;
  /** State after all entries that were applied. */
  readonly fold: SessionFold = new SessionFold();
  readonly #events: EntryEvents;
  #view = new LiveView();
  #seq = 0;
  /** Number of events of the entry at `#seq`, and the number including the live ones after it. */
  #entryCount = 0;
  #count = 0;
  /** Live content when the entry at `#seq` arrived, for followers that did not see it begin. */
  #carried: Snapshot | undefined;
  /** True if a reader that has seen all entries lacks something: a live event, or that live content is gone. */
  #isBeyondLog = false;
  /** Last event, if it was `settled`. */
  #settled: PlacedEvent | undefined;
  #epoch = 0;
  #version = 0;
  #recentFrom: Cursor = startCursor;
  /** Last events of entries, after `#recentFrom`. Undefined if there are none, as in a session at rest. */
  #recent: RecentEvents | undefined;
  /** Shared by all readers that ask at the same moment: it is serialized once. */
  #current: PlacedEvent | undefined;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    this.#events = new EntryEvents(sessionId);
  }

  /** Cursor of the last event. */
  get cursor(): Cursor {
    return { seq: this.#seq, n: this.#count };
  }

  /** Highest known epoch. Frames of an older epoch are dropped. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The reply that is being written, and what tools have shown so far, as far as this process knows. */
  get open(): Pick<Snapshot, "message" | "toolOutputs"> {
    return this.#view.snapshot();
  }

  /** Changes with every entry and every live event. */
  get version(): number {
    return this.#version;
  }

  /** State for a checkpoint after the last entry. Undefined while a turn is unfinished. */
  checkpoint(): Checkpoint | undefined {
    const saved = this.fold.save();
    return saved && { ...saved, cursor: { seq: this.#seq, n: this.#entryCount } };
  }

  /** Begins at a checkpoint. For a feed that has applied nothing. Returns false if the entry is none that this program can use. */
  begin(stored: StoredEntry): boolean {
    const state = stateIn(stored);
    if (state === undefined) return false;
    this.fold.load(state);
    const { seq, n } = state.cursor;
    this.#moveTo(seq, n);
    this.#recentFrom = state.cursor;
    return true;
  }

  /** Puts the messages that the checkpoint has left out in place. */
  fillIn(messages: readonly ChatMessage[]): void {
    if (this.fold.transcript.leftOut === 0) return;
    this.fold.transcript.fillIn(messages);
    this.#version += 1;
  }

  /** Marks the feed as the owner's: its frames carry the epoch of the lease. */
  own(epoch: number): void {
    this.#epoch = epoch;
  }

  /**
   * Applies new entries, in order, and returns their events. Entries that were applied before are skipped, so reads may overlap. If another
   * owner takes over while tool outputs are live, a snapshot without them follows.
   */
  take(entries: readonly Entry[]): PlacedEvent[] {
    const placed: PlacedEvent[] = [];
    for (const entry of entries) this.#takeOne(entry.seq, entry, placed);
    return placed;
  }

  /** Like `take`, for stored entries. */
  takeStored(stored: readonly StoredEntry[]): PlacedEvent[] {
    const placed: PlacedEvent[] = [];
    for (const each of stored) this.#takeOne(each.seq, parseEntry(each), placed);
    return placed;
  }

  /** Assigns a cursor to a live-only event. For the owner. */
  live(event: SessionEvent): PlacedEvent {
    const placed = { cursor: { seq: this.#seq, n: this.#count + 1 }, event };
    this.#show(placed);
    return placed;
  }

  /** Live content that a reader needs when it joins now; undefined if there is none. */
  snapshot(): PlacedEvent | undefined {
    return this.#view.isEmpty ? undefined : this.#currentSnapshot();
  }

  /** All live content, even if empty. */
  liveSnapshot(): Snapshot {
    return this.#snapshot();
  }

  /**
   * Returns the new events of a frame. For a follower. "ahead": the frame follows an entry that was not applied yet, or belongs to another
   * session with this id: read the log and retry. "gap": events are missing before it: request a snapshot. Late and duplicate frames, and
   * those of a former owner, return nothing.
   */
  frame(frame: LiveFrame): PlacedEvent[] | "ahead" | "gap" {
    if (frame.epoch < this.#epoch || frame.seq < this.#seq) return [];
    if (frame.seq > this.fold.seq || this.#isOfAnother(frame)) return "ahead";
    this.#epoch = frame.epoch;
    // Only a newer program knows the events of that entry.
    if (frame.seq > this.#seq) this.#moveTo(frame.seq, 0);
    const placed: PlacedEvent[] = [];
    let isGap = false;
    for (const [index, body] of frame.events.entries()) {
      const n = frame.from + index;
      const isSnapshot = body.type === "snapshot";
      // A snapshot at the last event of an entry is new to a reader that has seen no other event after that entry.
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
   * Returns a frame of these live events for followers in other processes, except for those that an entry has followed since. For the owner.
   * The first frame after an entry contains what was live before it, so that after any lost frame the next one fits or shows a gap.
   * Undefined if there is nothing to send.
   */
  toFrame(events: readonly PlacedEvent[]): LiveFrame | undefined {
    const current = events.filter(({ cursor }) => cursor.seq === this.#seq);
    const [first] = current;
    const bodies = current.map(({ event }) => bodyOf(event));
    const isFirst = first === undefined || first.cursor.n === this.#entryCount + 1;
    // Between two turns an event may belong to none.
    const turnId = first?.event.turnId;
    if (isFirst && this.#carried !== undefined) {
      return this.#toFrame(this.#entryCount, [this.#carried, ...bodies], turnId);
    }
    return first && this.#toFrame(first.cursor.n, bodies, turnId);
  }

  /** Returns all live content, replacing all live events so far. For the owner, when a reader starts to follow. */
  snapshotFrame(): LiveFrame {
    return this.#toFrame(this.#count, [this.#snapshot()]);
  }

  /**
   * Returns the events that a reader at this cursor has not seen, up to the feed's last. `stored` is the log from its beginning, at least as
   * far as the feed has applied it. Live events are not kept: one snapshot replaces those that the reader has missed. A reader that is ahead
   * of the feed gets nothing, and must skip the feed's events up to its own cursor.
   */
  eventsAfter(cursor: Cursor, stored: readonly StoredEntry[]): PlacedEvent[] {
    const known = stored.filter(({ seq }) => seq <= this.fold.seq);
    return this.withLive(cursor, new EventFeed(this.sessionId).takeStored(known));
  }

  /** Like `eventsAfter`, without the log, for a reader that has missed little. Undefined if it has missed more than is kept here. */
  recentEventsAfter(cursor: Cursor): PlacedEvent[] | undefined {
    const missed = this.#recentEvents().after(cursor);
    return missed && this.#withLive(cursor, missed);
  }

  /** Drops the spare room of lists: a session at rest should take little memory. Changes nothing else. */
  trim(): void {
    this.fold.transcript.trim();
  }

  /** Drops the events kept for readers that missed the last ones: they take more memory than the rest of a session that does nothing. */
  forgetRecent(): void {
    if (this.#recent === undefined) return;
    this.#recentFrom = this.#recent.end;
    this.#recent = undefined;
  }

  #recentEvents(): RecentEvents {
    return (this.#recent ??= new RecentEvents(this.#recentFrom));
  }

  /** Like `eventsAfter`, given the events of all entries, or at least of those after the cursor. */
  withLive(cursor: Cursor, facts: readonly PlacedEvent[]): PlacedEvent[] {
    const missed = facts.filter((placed) => compareCursors(placed.cursor, cursor) > 0);
    return this.#withLive(cursor, missed);
  }

  #withLive(cursor: Cursor, missed: PlacedEvent[]): PlacedEvent[] {
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
    this.#version += 1;
    if (entry === undefined) return this.fold.skip(seq);
    const first = placed.length;
    const count = this.#events.place(entry, this.fold, placed);
    this.fold.apply(entry);
    // Every index below the length is set.
    for (let i = first; i < placed.length; i++) {
      const fact = placed[i] as PlacedEvent;
      this.#view.apply(fact.event);
      this.#recentEvents().add(fact);
    }
    this.#recent?.limit();
    if (entry.type === "turn_resumed") placed.push(...this.#resume(entry, count));
    else if (count > 0) this.#moveTo(seq, count);
  }

  /** Work of the previous process is gone. */
  #resume({ seq, epoch }: EntryOf<"turn_resumed">, count: number): PlacedEvent[] {
    const wasLive = !this.#view.isEmpty;
    this.#epoch = Math.max(this.#epoch, epoch);
    this.#view = new LiveView();
    this.#moveTo(seq, count);
    this.#isBeyondLog = true;
    return wasLive ? [this.#place(this.#snapshot(), count, this.#turnId)] : [];
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
    this.#version += 1;
    this.#view.apply(event);
    this.#settled = event.type === "settled" ? placed : undefined;
  }

  #snapshot(): Snapshot {
    return { type: "snapshot", ...boundSnapshot(this.#view.snapshot()) };
  }

  #place(body: AgentEventBody, n: number, turnId: string): PlacedEvent {
    const event = { ...body, sessionId: this.sessionId, turnId };
    return { cursor: { seq: this.#seq, n }, event };
  }

  #toFrame(
    from: number,
    events: readonly AgentEventBody[],
    turnId: string = this.#turnId,
  ): LiveFrame {
    const { created } = this.fold;
    const frame = { epoch: this.#epoch, seq: this.#seq, from, turnId, events };
    return created === undefined ? frame : { ...frame, incarnation: incarnationOf(created) };
  }
}

/** State of a checkpoint. Undefined if the entry is none, or not one that this program can use. */
function stateIn(stored: StoredEntry): (SavedFold & Checkpoint) | undefined {
  try {
    const entry = stored.type === "checkpoint" ? parseEntry(stored) : undefined;
    if (entry?.type !== "checkpoint") return undefined;
    const { version, seq } = entry.state;
    if (version !== savedFoldVersion || seq !== entry.seq - 1 || !isIntact(entry)) return undefined;
    // A fold of this version has written it.
    return entry.state as SavedFold & Checkpoint;
  } catch {
    // It is damaged, and everything in it follows from the entries before it.
    return undefined;
  }
}

/** Whether the state is the one that was recorded. Checkpoints of older programs have no sum. */
function isIntact({ state, sum }: EntryOf<"checkpoint">): boolean {
  return sum === checksumOf(JSON.stringify(state));
}

function bodyOf(event: SessionEvent): AgentEventBody {
  const { sessionId: _sessionId, turnId: _turnId, ...body } = event;
  return body;
}

/** Wake-ups and live frames of one handle of a store, and their way to and from the other handles. */
import type { LiveFrame, MaybePromise, SubscribeOptions, Wakeup } from "@capstan/log";
import { Wakeups } from "@capstan/log";
import type { Note, SendNotes } from "./outbox.ts";
import { Outbox } from "./outbox.ts";

export interface RelayOptions {
  readonly send: SendNotes;
  /** Whether anybody here wants to hear of others at all. Called when that changes. */
  onDemand(isWanted: boolean): void;
  /** Whether others have to be told of what was written here. Default: they see it by themselves. */
  readonly tellsChanges?: boolean;
}

/** As `Wakeups.changed` takes it. */
interface Change {
  readonly lastSeq: number | undefined;
  readonly incarnation: string | undefined;
}

/** How often those who follow say that they still do, and how long they are believed. */
const followMs = 2_000;
const believedMs = 3 * followMs;

export class Relay {
  readonly #options: RelayOptions;
  readonly #wakeups = new Wakeups();
  readonly #outbox: Outbox;
  /** How many listen here, and how many of them want frames. */
  readonly #listeners = new Map<string, { all: number; live: number }>();
  /** Until when somebody elsewhere follows, as far as we were told. */
  readonly #followedUntil = new Map<string, number>();
  /** Of what those who listen here are about to be told. */
  readonly #changedHere = new Map<string, Change>();
  #following: NodeJS.Timeout | undefined;
  #expecting: NodeJS.Timeout | undefined;
  #isWanted = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#outbox = new Outbox((notes) => this.#send(notes));
  }

  /** The sessions that somebody listens to here. */
  ids(): Iterable<string> {
    return this.#listeners.keys();
  }

  hasListener(id: string): boolean {
    return this.#listeners.has(id);
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options: SubscribeOptions = {},
  ): () => void {
    const stop = this.#wakeups.subscribe(id, listener, options);
    const isLive = options.isLive === true;
    this.#count(id, 1, isLive);
    if (isLive) this.#outbox.follow([id], true);
    else if (this.isFollowedElsewhere(id)) queueMicrotask(() => this.#wakeups.followed(id));
    let isStopped = false;
    return () => {
      if (isStopped) return;
      isStopped = true;
      stop();
      this.#count(id, -1, isLive);
    };
  }

  /** Something was written: through this handle, by who has not got an answer yet; or through another, and we saw it. */
  changed(id: string, lastSeq: number | undefined, incarnation?: string): void {
    this.#wakeups.changed(id, lastSeq, incarnation);
  }

  /**
   * Something was written through this handle. Those who listen here are told in a moment, once for many writes: the writer is one of
   * them, and knows by then.
   */
  changedLater(id: string, lastSeq: number | undefined, incarnation?: string): void {
    const isHeard = this.#listeners.has(id);
    if (isHeard) {
      const known = incarnation ?? this.#changedHere.get(id)?.incarnation;
      this.#changedHere.set(id, { lastSeq, incarnation: known });
    }
    if (isHeard || this.#options.tellsChanges === true) this.#outbox.changed(id);
  }

  /** Whether somebody wants frames. Who asks has some, and hears of followers from then on, also without a listener. */
  isFollowed(id: string): boolean {
    if (this.#expecting !== undefined) this.#expecting.refresh();
    else this.#expectFollowers();
    return (this.#listeners.get(id)?.live ?? 0) > 0 || this.isFollowedElsewhere(id);
  }

  isFollowedElsewhere(id: string): boolean {
    const until = this.#followedUntil.get(id);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#followedUntil.delete(id);
    return false;
  }

  /** To those who follow here. */
  showLive(id: string, frame: LiveFrame): void {
    this.#wakeups.live(id, frame);
  }

  /** To the other handles. */
  sendLive(id: string, frame: LiveFrame): void {
    this.#outbox.live(id, frame);
  }

  /** What other handles have to say. */
  take(notes: readonly Note[]): void {
    for (const note of notes) this.#take(note);
  }

  /** Notes may have been lost: everybody looks for themselves, and we say again whom we follow. */
  startAnew(): void {
    for (const id of this.#listeners.keys()) this.#wakeups.changed(id);
    const live = this.#liveIds();
    if (live.length > 0) this.#outbox.follow(live, true);
  }

  close(): void {
    this.#outbox.close();
    clearInterval(this.#following);
    clearTimeout(this.#expecting);
  }

  #send(notes: readonly Note[]): MaybePromise<void> {
    const changed = [...this.#changedHere];
    this.#changedHere.clear();
    for (const [id, { lastSeq, incarnation }] of changed) {
      this.#wakeups.changed(id, lastSeq, incarnation);
    }
    const told =
      this.#options.tellsChanges === true ? notes : notes.filter((note) => !isChange(note));
    if (told.length > 0) return this.#options.send(told);
  }

  #take(note: Note): void {
    switch (note.type) {
      case "changed":
        for (const id of note.ids) this.#wakeups.changed(id);
        return;
      case "follow":
        for (const id of note.ids) this.#believe(id, note.isNew);
        return;
      case "live":
        for (const frame of note.frames) this.#wakeups.live(note.id, frame);
        return;
      default:
        // A newer program may say more.
        return note satisfies never;
    }
  }

  #believe(id: string, isNew: boolean): void {
    const wasKnown = this.isFollowedElsewhere(id);
    this.#followedUntil.set(id, performance.now() + believedMs);
    if (isNew || !wasKnown) this.#wakeups.followed(id);
  }

  #count(id: string, step: 1 | -1, isLive: boolean): void {
    const counts = this.#listeners.get(id) ?? { all: 0, live: 0 };
    counts.all += step;
    if (isLive) counts.live += step;
    if (counts.all === 0) this.#listeners.delete(id);
    else this.#listeners.set(id, counts);
    if (isLive) this.#keepFollowing();
    this.#demand();
  }

  #liveIds(): string[] {
    return [...this.#listeners].filter(([, { live }]) => live > 0).map(([id]) => id);
  }

  /** Until the last follower here has gone. */
  #keepFollowing(): void {
    this.#following ??= setInterval(() => {
      const ids = this.#liveIds();
      if (ids.length > 0) return this.#outbox.follow(ids, false);
      clearInterval(this.#following);
      this.#following = undefined;
    }, followMs).unref();
  }

  #expectFollowers(): void {
    this.#expecting = setTimeout(() => {
      this.#expecting = undefined;
      this.#demand();
    }, believedMs).unref();
    this.#demand();
  }

  #demand(): void {
    const isWanted = this.#listeners.size > 0 || this.#expecting !== undefined;
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    this.#options.onDemand(isWanted);
  }
}

function isChange({ type }: Note): boolean {
  return type === "changed";
}

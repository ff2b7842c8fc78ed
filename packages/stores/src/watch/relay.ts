/** Wake-ups and live frames of one handle of a store, and their exchange with other handles. */
import type { LiveFrame, MaybePromise, SubscribeOptions, Wakeup } from "@capstan/log";
import { Wakeups } from "@capstan/log";
import type { Note, SendNotes } from "./outbox.ts";
import { Outbox } from "./outbox.ts";

export interface RelayOptions {
  readonly send: SendNotes;
  /** Called when listeners here start or stop needing news of other handles. */
  onDemand(isWanted: boolean): void;
  /** True if others must be notified of writes through this handle. Default: they see them by themselves. */
  readonly tellsChanges?: boolean;
}

/** Arguments of `Wakeups.changed`. */
interface Change {
  readonly lastSeq: number | undefined;
  readonly incarnation: string | undefined;
}

/** How often followers renew their interest, and how long it counts. */
const followMs = 2_000;
const believedMs = 3 * followMs;

export class Relay {
  readonly #options: RelayOptions;
  readonly #wakeups = new Wakeups();
  readonly #outbox: Outbox;
  /** Numbers of listeners here, and of those that want frames. */
  readonly #listeners = new Map<string, { all: number; live: number }>();
  /** Until when another handle follows, according to its notes. */
  readonly #followedUntil = new Map<string, number>();
  /** Changes that listeners here are about to get. */
  readonly #changedHere = new Map<string, Change>();
  #following: NodeJS.Timeout | undefined;
  #expecting: NodeJS.Timeout | undefined;
  #isWanted = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#outbox = new Outbox((notes) => this.#send(notes));
  }

  /** Sessions with listeners here. */
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

  /** Reports a write: through this handle, before its caller has an answer; or through another, detected by polling. */
  changed(id: string, lastSeq: number | undefined, incarnation?: string): void {
    this.#wakeups.changed(id, lastSeq, incarnation);
  }

  /**
   * Reports a write through this handle. Listeners here get it in a moment, once for many writes: the writer is one of them, and has its
   * answer by then.
   */
  changedLater(id: string, lastSeq: number | undefined, incarnation?: string): void {
    const isHeard = this.#listeners.has(id);
    if (isHeard) {
      const known = incarnation ?? this.#changedHere.get(id)?.incarnation;
      this.#changedHere.set(id, { lastSeq, incarnation: known });
    }
    if (isHeard || this.#options.tellsChanges === true) this.#outbox.changed(id);
  }

  /**
   * True if a follower wants frames. The caller has frames to send, so notes about followers are needed from now on, even without a
   * listener.
   */
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

  /** Delivers a frame to followers here. */
  showLive(id: string, frame: LiveFrame): void {
    this.#wakeups.live(id, frame);
  }

  /** Sends a frame to the other handles. */
  sendLive(id: string, frame: LiveFrame): void {
    this.#outbox.live(id, frame);
  }

  /** Processes notes of other handles. */
  take(notes: readonly Note[]): void {
    for (const note of notes) this.#take(note);
  }

  /** Called if notes may have been lost: wakes all listeners, and announces again which sessions are followed here. */
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
        // A newer program may send other notes.
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

  /** Renews until the last follower here has gone. */
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

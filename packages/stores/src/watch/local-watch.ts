/** Wake-ups and live frames between the handles of a store on one machine, by polling. */
import type { Lease, LiveFrame, SubscribeOptions, Wakeup } from "@capstan/log";
import { Poller } from "./poller.ts";
import type { Note } from "./outbox.ts";
import { Relay } from "./relay.ts";

/** Last seq and identity of a session. */
export interface WatchedState {
  readonly lastSeq: number;
  readonly incarnation?: string | undefined;
}

/** Store operations a watch needs. Each may fail, and is then retried later. */
export interface WatchedStore {
  /** Skips earlier notes. */
  start(): void;
  /** False if certainly nothing was written through another handle since the last call. */
  hasNews(): boolean;
  /** Undefined if there is no such session. */
  stateOf(id: string): WatchedState | undefined;
  /** Epoch of the last lease. Undefined if the session does not exist. */
  epochOf(id: string): number | undefined;
  send(notes: readonly Note[]): void;
  /** Returns notes of other handles since the last call. */
  receive(): readonly Note[];
}

export class LocalWatch {
  readonly #store: WatchedStore;
  readonly #relay: Relay;
  readonly #poller: Poller;
  /** Last known states of the sessions that have listeners here. */
  readonly #states = new Map<string, WatchedState | undefined>();

  constructor(store: WatchedStore) {
    this.#store = store;
    this.#poller = new Poller(() => this.#look());
    this.#relay = new Relay({
      send: (notes) => this.#send(notes),
      onDemand: (isWanted) => this.#watch(isWanted),
    });
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    const stop = this.#relay.subscribe(id, listener, options);
    if (!this.#states.has(id)) this.#states.set(id, this.#stateOf(id));
    return () => {
      stop();
      if (!this.#relay.hasListener(id)) this.#states.delete(id);
    };
  }

  /**
   * Reports a write through this handle, whose caller gets its answer at once or later. `lastSeq` is undefined if the session was deleted;
   * `incarnation` is given if it was created.
   */
  wrote(id: string, lastSeq: number | undefined, isAtOnce: boolean, incarnation?: string): void {
    if (this.#states.has(id)) {
      // The next poll finds out whether it is still the same session.
      const known = incarnation ?? this.#states.get(id)?.incarnation;
      this.#states.set(id, lastSeq === undefined ? undefined : { lastSeq, incarnation: known });
    }
    if (isAtOnce) this.#relay.changed(id, lastSeq, incarnation);
    else this.#relay.changedLater(id, lastSeq, incarnation);
  }

  /** Sends a frame to followers, here and in other processes. */
  sendLive({ sessionId: id, epoch }: Lease, frame: LiveFrame): void {
    // Readers rely on the frame's own epoch, so it must not be outdated either.
    if (!this.#relay.isFollowed(id) || Math.min(epoch, frame.epoch) < this.#epochOf(id)) return;
    this.#relay.showLive(id, frame);
    if (this.#relay.isFollowedElsewhere(id)) this.#relay.sendLive(id, frame);
  }

  close(): void {
    this.#poller.stop();
    this.#relay.close();
  }

  #watch(isWanted: boolean): void {
    this.#states.clear();
    if (!isWanted) return this.#poller.stop();
    try {
      this.#store.start();
    } catch {
      // The first poll then finds more than is new.
    }
    this.#poller.start();
  }

  #look(): void {
    if (!this.#store.hasNews()) return;
    for (const id of this.#relay.ids()) {
      const state = this.#store.stateOf(id);
      if (isSame(state, this.#states.get(id))) continue;
      this.#states.set(id, state);
      this.#relay.changed(id, state?.lastSeq, state?.incarnation);
    }
    this.#relay.take(this.#store.receive());
  }

  #stateOf(id: string): WatchedState | undefined {
    try {
      return this.#store.stateOf(id);
    } catch {
      // Subscribing never fails; the first poll finds a change.
      return undefined;
    }
  }

  #epochOf(id: string): number {
    try {
      return this.#store.epochOf(id) ?? Infinity;
    } catch {
      // Frames may be lost.
      return Infinity;
    }
  }

  #send(notes: readonly Note[]): void {
    try {
      this.#store.send(notes);
    } catch {
      // Notes may be lost.
    }
  }
}

function isSame(state: WatchedState | undefined, known: WatchedState | undefined): boolean {
  return state?.lastSeq === known?.lastSeq && state?.incarnation === known?.incarnation;
}

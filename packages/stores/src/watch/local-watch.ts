/** Wake-ups and live frames between the handles of a store on one machine, which find out by looking. */
import type { Lease, LiveFrame, SubscribeOptions, Wakeup } from "@capstan/log";
import { Poller } from "./poller.ts";
import type { Note } from "./outbox.ts";
import { Relay } from "./relay.ts";

/** Where a session is, and which one it is. */
export interface WatchedState {
  readonly lastSeq: number;
  readonly incarnation?: string | undefined;
}

/** What a watch looks at. Each of these may fail, and is then tried again later. */
export interface WatchedStore {
  /** From here on. */
  start(): void;
  /** False if surely nothing was written through another handle since the last time. */
  hasNews(): boolean;
  /** Undefined if there is no such session. */
  stateOf(id: string): WatchedState | undefined;
  /** Of the lease that was given last. Undefined if there is no such session. */
  epochOf(id: string): number | undefined;
  send(notes: readonly Note[]): void;
  /** What other handles have sent since the last time. */
  receive(): readonly Note[];
}

export class LocalWatch {
  readonly #store: WatchedStore;
  readonly #relay: Relay;
  readonly #poller: Poller;
  /** Where the sessions were that somebody listens to here, when we last looked. */
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
   * Something was written through this handle, and its writer is answered at once or later. `lastSeq` is undefined if it was the end
   * of the session; `incarnation` is given if it was its beginning.
   */
  wrote(id: string, lastSeq: number | undefined, isAtOnce: boolean, incarnation?: string): void {
    if (this.#states.has(id)) {
      // Whether it is still the session that we know is for the next look to find out.
      const known = incarnation ?? this.#states.get(id)?.incarnation;
      this.#states.set(id, lastSeq === undefined ? undefined : { lastSeq, incarnation: known });
    }
    if (isAtOnce) this.#relay.changed(id, lastSeq, incarnation);
    else this.#relay.changedLater(id, lastSeq, incarnation);
  }

  /** To those who follow, here and elsewhere. */
  sendLive({ sessionId: id, epoch }: Lease, frame: LiveFrame): void {
    // The frame's own epoch is what its readers go by, so it must not be older either.
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
      // The first look then finds more than is new.
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
      // To subscribe never fails; the first look finds a change.
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

/** Wake-ups and live frames between the handles of a store on one machine, which find out by looking. */
import type { Lease, LiveFrame, SubscribeOptions, Wakeup } from "@capstan/log";
import { Poller } from "./poller.ts";
import type { Note } from "./outbox.ts";
import { Relay } from "./relay.ts";

/** What a watch looks at. Each of these may fail, and is then tried again later. */
export interface WatchedStore {
  /** From here on. */
  start(): void;
  /** False if surely nothing was written through another handle since the last time. */
  hasNews(): boolean;
  /** Undefined if there is no such session. */
  lastSeqOf(id: string): number | undefined;
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
  readonly #lastSeqs = new Map<string, number | undefined>();

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
    if (!this.#lastSeqs.has(id)) this.#lastSeqs.set(id, this.#lastSeqOf(id));
    return () => {
      stop();
      if (!this.#relay.hasListener(id)) this.#lastSeqs.delete(id);
    };
  }

  /**
   * Something was written through this handle, and its writer is answered at once or later. `lastSeq` is undefined if it was the end
   * of the session.
   */
  wrote(id: string, lastSeq: number | undefined, isAtOnce: boolean): void {
    if (this.#lastSeqs.has(id)) this.#lastSeqs.set(id, lastSeq);
    if (isAtOnce) this.#relay.changed(id, lastSeq);
    else this.#relay.changedLater(id, lastSeq);
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
    this.#lastSeqs.clear();
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
      const lastSeq = this.#store.lastSeqOf(id);
      if (lastSeq === this.#lastSeqs.get(id)) continue;
      this.#lastSeqs.set(id, lastSeq);
      this.#relay.changed(id, lastSeq);
    }
    this.#relay.take(this.#store.receive());
  }

  #lastSeqOf(id: string): number | undefined {
    try {
      return this.#store.lastSeqOf(id);
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

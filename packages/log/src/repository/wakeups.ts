/** Listeners of sessions, through one handle of a store. They are called synchronously, after the write that they are notified of. */
import { ReleasingMap } from "./releasing-map.ts";
import type { LiveFrame, SubscribeOptions, Wakeup } from "./repository.ts";

interface Subscription {
  readonly listener: (wakeup: Wakeup) => void;
  readonly isLive: boolean;
}

const changed = { type: "changed" } as const satisfies Wakeup;
const followed: Wakeup = { type: "followed" };

/** Listeners of sessions in this process, for authors of stores. */
export class Wakeups {
  /** Each change creates a new list, so that it does not affect a notification in progress. */
  readonly #bySession = new ReleasingMap<string, readonly Subscription[]>();

  /** The session need not exist yet. */
  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    { isLive = false }: SubscribeOptions = {},
  ): () => void {
    const subscription: Subscription = { listener, isLive };
    const others = this.#of(id);
    this.#bySession.set(id, others.concat(subscription));
    if (isLive) this.#tell(id, followed, (other) => other !== subscription);
    // An owner that subscribes after its readers is notified of them too, but not before it can unsubscribe.
    if (others.some((other) => other.isLive)) {
      queueMicrotask(() => this.#tell(id, followed, (other) => other === subscription));
    }
    return () => {
      const left = this.#of(id).filter((other) => other !== subscription);
      if (left.length > 0) this.#bySession.set(id, left);
      else this.#bySession.delete(id);
    };
  }

  /** `lastSeq` is omitted if it is unknown, or the session is gone; `incarnation` if it has not changed. */
  changed(id: string, lastSeq?: number, incarnation?: string): void {
    if (!this.#bySession.has(id)) return;
    this.#tell(id, lastSeq === undefined ? changed : { ...changed, lastSeq, incarnation }, isAny);
  }

  /** Notifies that a reader in another process follows. */
  followed(id: string): void {
    this.#tell(id, followed, isAny);
  }

  live(id: string, frame: LiveFrame): void {
    if (this.#bySession.has(id)) this.#tell(id, { type: "live", frame }, isLive);
  }

  /** A listener that subscribes in the meantime is not notified, and neither is one that unsubscribes. */
  #tell(id: string, wakeup: Wakeup, isMeant: (subscription: Subscription) => boolean): void {
    const all = this.#of(id);
    for (const subscription of all) {
      if (!isMeant(subscription)) continue;
      const left = this.#of(id);
      if (left === all || left.includes(subscription)) tellOne(subscription, wakeup);
    }
  }

  #of(id: string): readonly Subscription[] {
    return this.#bySession.get(id) ?? none;
  }
}

const none: readonly Subscription[] = [];

function isAny(): boolean {
  return true;
}

function isLive(subscription: Subscription): boolean {
  return subscription.isLive;
}

function tellOne({ listener }: Subscription, wakeup: Wakeup): void {
  try {
    listener(wakeup);
  } catch {
    // The write has happened, and its writer must not see a reader's failure.
  }
}

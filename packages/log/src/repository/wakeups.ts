/** Who listens to which session, through one handle of a store. Listeners are called at once, after the write that they hear of. */
import type { LiveFrame, SubscribeOptions, Wakeup } from "./repository.ts";

interface Subscription {
  readonly listener: (wakeup: Wakeup) => void;
  readonly isLive: boolean;
}

const changed = { type: "changed" } as const satisfies Wakeup;
const followed: Wakeup = { type: "followed" };

export class Wakeups {
  /** Another list with every change, so that nobody is in the way of who is being told. */
  readonly #bySession = new Map<string, readonly Subscription[]>();

  /** The session need not be there yet. */
  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    { isLive = false }: SubscribeOptions = {},
  ): () => void {
    const subscription: Subscription = { listener, isLive };
    const others = this.#of(id);
    this.#bySession.set(id, [...others, subscription]);
    if (isLive) this.#tell(id, followed, (other) => other !== subscription);
    // An owner that came after its readers hears of them too, but not before it has the means to stop.
    if (others.some((other) => other.isLive)) {
      queueMicrotask(() => this.#tell(id, followed, (other) => other === subscription));
    }
    return () => {
      const left = this.#of(id).filter((other) => other !== subscription);
      if (left.length > 0) this.#bySession.set(id, left);
      else this.#bySession.delete(id);
    };
  }

  /** `lastSeq` is left out if it is not known, or the session is gone; `incarnation` if it is the same as before. */
  changed(id: string, lastSeq?: number, incarnation?: string): void {
    if (!this.#bySession.has(id)) return;
    this.#tell(id, lastSeq === undefined ? changed : { ...changed, lastSeq, incarnation }, isAny);
  }

  /** A reader elsewhere follows. */
  followed(id: string): void {
    this.#tell(id, followed, isAny);
  }

  live(id: string, frame: LiveFrame): void {
    if (this.#bySession.has(id)) this.#tell(id, { type: "live", frame }, isLive);
  }

  /** Who subscribes meanwhile is not told any more, and who stops is told nothing. */
  #tell(id: string, wakeup: Wakeup, isMeant: (subscription: Subscription) => boolean): void {
    for (const subscription of this.#of(id)) {
      if (isMeant(subscription) && this.#of(id).includes(subscription))
        tellOne(subscription, wakeup);
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
    // The write has happened, and its writer is not the one to hear of a reader's fault.
  }
}

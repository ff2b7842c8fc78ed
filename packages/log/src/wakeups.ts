/** Who listens to which session, through one handle of a store. Listeners are called at once, after the write that they hear of. */
import type { LiveFrame, SubscribeOptions, Wakeup } from "./repository.ts";

interface Subscription {
  readonly listener: (wakeup: Wakeup) => void;
  readonly isLive: boolean;
}

const changed = { type: "changed" } as const satisfies Wakeup;
const followed: Wakeup = { type: "followed" };

export class Wakeups {
  readonly #bySession = new Map<string, Set<Subscription>>();

  /** The session need not be there yet. */
  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    { isLive = false }: SubscribeOptions = {},
  ): () => void {
    const subscription: Subscription = { listener, isLive };
    const all = this.#bySession.get(id) ?? new Set<Subscription>();
    const isFollowed = all.values().some((other) => other.isLive);
    this.#bySession.set(id, all.add(subscription));
    if (isLive) tell(all, followed, (other) => other !== subscription);
    // An owner that came after its readers hears of them too, but not before it has the means to stop.
    if (isFollowed) queueMicrotask(() => tell(all, followed, (other) => other === subscription));
    return () => {
      all.delete(subscription);
      if (all.size === 0 && this.#bySession.get(id) === all) this.#bySession.delete(id);
    };
  }

  /** `lastSeq` is left out where it is not known, or the session is gone. */
  changed(id: string, lastSeq?: number): void {
    const subscriptions = this.#bySession.get(id);
    if (subscriptions === undefined) return;
    const wakeup = lastSeq === undefined ? changed : { ...changed, lastSeq };
    tell(subscriptions, wakeup, () => true);
  }

  /** A reader elsewhere follows. */
  followed(id: string): void {
    const subscriptions = this.#bySession.get(id);
    if (subscriptions !== undefined) tell(subscriptions, followed, () => true);
  }

  live(id: string, frame: LiveFrame): void {
    const subscriptions = this.#bySession.get(id);
    if (subscriptions !== undefined) tell(subscriptions, { type: "live", frame }, isLive);
  }
}

function isLive(subscription: Subscription): boolean {
  return subscription.isLive;
}

function tell(
  subscriptions: ReadonlySet<Subscription>,
  wakeup: Wakeup,
  isMeant: (subscription: Subscription) => boolean,
): void {
  if (subscriptions.size === 1) {
    // The usual case, and every write is told.
    for (const only of subscriptions) return isMeant(only) ? tellOne(only, wakeup) : undefined;
  }
  // A copy, as one that subscribes while it is told is not told again; and who stops meanwhile is told nothing more.
  for (const subscription of [...subscriptions]) {
    if (isMeant(subscription) && subscriptions.has(subscription)) tellOne(subscription, wakeup);
  }
}

function tellOne({ listener }: Subscription, wakeup: Wakeup): void {
  try {
    listener(wakeup);
  } catch {
    // The write has happened, and its writer is not the one to hear of a reader's fault.
  }
}

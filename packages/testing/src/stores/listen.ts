/** A listener that records wake-ups, and can be awaited. */
import { setTimeout as wait } from "node:timers/promises";
import type { SessionRepository, SubscribeOptions, Wakeup } from "@capstan/log";

export interface Ear {
  readonly heard: readonly Wakeup[];
  readonly whenHeard: (isMeant: (wakeup: Wakeup) => boolean) => Promise<true>;
  readonly stop: () => void;
}

/** Number of attempts before giving up. */
const maxAttempts = 40;

export function listen(
  repository: SessionRepository,
  id: string,
  options: SubscribeOptions = {},
): Ear {
  const heard: Wakeup[] = [];
  const waiting = new Set<() => void>();
  const stop = repository.subscribe(
    id,
    (wakeup) => {
      heard.push(wakeup);
      for (const look of waiting) look();
    },
    options,
  );
  const whenHeard = (isMeant: (wakeup: Wakeup) => boolean): Promise<true> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (heard.some(isMeant)) resolve(true);
      };
      waiting.add(look);
      look();
    });
  return { heard, whenHeard, stop };
}

/**
 * Repeats `act` until the listener hears of it: a wake-up is a hint, and may be lost while a subscription is still on its way to the
 * database. `act` gets the number of the attempt.
 */
export async function actUntilHeard(
  ear: Ear,
  isMeant: (wakeup: Wakeup) => boolean,
  patienceMs: number,
  act: (attempt: number) => unknown,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await act(attempt);
    const timer = new AbortController();
    const inTime = wait(patienceMs / maxAttempts, false, { signal: timer.signal });
    const hasHeard = await Promise.race([ear.whenHeard(isMeant), inTime]);
    timer.abort();
    if (hasHeard) return;
  }
  const types = ear.heard.map((wakeup) => wakeup.type).join(", ") || "nothing";
  throw new Error(`no matching wake-up within ${patienceMs} ms; the listener heard ${types}`);
}

export function isChange(wakeup: Wakeup): boolean {
  return wakeup.type === "changed";
}

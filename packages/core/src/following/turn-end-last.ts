/** Holds back the end of a turn, and what comes after it, until the sessions below are read up to then. */
import { background } from "@capstan/kernel";
import type { EventListener, PlacedEvent } from "@capstan/log";

/** Resolves once everything that the sessions below had recorded is delivered; undefined if it is. */
export type ReadUp = () => Promise<void> | undefined;

export function turnEndLast(
  listener: EventListener,
  readUp: ReadUp,
  onError: (thrown: unknown) => void,
): EventListener {
  let held: PlacedEvent[] | undefined;
  const take: EventListener = (event, cursor) => {
    if (held !== undefined) {
      held.push({ event, cursor });
      return;
    }
    const reading = event.type === "turn_end" ? readUp() : undefined;
    if (reading === undefined) return listener(event, cursor);
    held = [];
    const release = (): void => {
      const rest = held ?? [];
      held = undefined;
      listener(event, cursor);
      // Another turn may have ended in the meantime.
      for (const later of rest) take(later.event, later.cursor);
    };
    background(reading.catch(onError).then(release), onError);
  };
  return take;
}

/** A subscriber that has seen events before: it gets those behind its place from the log first. */
import type { Cursor, PlacedEvent } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import { background } from "./background.ts";
import type { Clock } from "./clock.ts";
import { idleTimerOf } from "./clock.ts";
import type { EventListener } from "./readers.ts";
import { onlyBehind } from "./readers.ts";
import { replay } from "./replay.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** How long a subscriber waits for a store that failed. */
const retryMs = 1_000;

/** Returns how to stop. */
export function subscribeAfter(
  after: Cursor,
  listener: EventListener,
  runtime: SessionRuntime,
  clock: Clock,
): () => void {
  const subscription = { isOver: false, stop: (): void => {} };
  const deliver = onlyBehind(listener, after);
  const show = (events: readonly PlacedEvent[]): void => {
    for (const { event, cursor } of events) if (!subscription.isOver) deliver(event, cursor);
  };
  const join = (): void => {
    if (!subscription.isOver) subscription.stop = runtime.readers.add(deliver);
  };
  // Goes on trying while the store fails: a subscriber is not told less than it asked for.
  const begin = (): void =>
    background(replay(runtime, after, show, join), (thrown) => {
      const isGone = isRepositoryError(thrown) && thrown.code === "not_found";
      if (!isGone && !subscription.isOver) idleTimerOf(clock)(retryMs, begin);
    });
  begin();
  return () => {
    subscription.isOver = true;
    subscription.stop();
  };
}

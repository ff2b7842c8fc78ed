/** What a reader gets that joins a session: first what it has missed, then everything as it happens. */
import type { Cursor, PlacedEvent } from "@capstan/log";
import type { SessionRuntime } from "./session-runtime.ts";

/** Shows what the log has behind a place, and joins without a gap. */
export async function replay(
  runtime: SessionRuntime,
  after: Cursor,
  show: (events: readonly PlacedEvent[]) => void,
  join: () => void,
): Promise<void> {
  const { log } = runtime;
  // The reader may have seen more elsewhere than we have read.
  await log.catchUp();
  const recent = log.feed.recentEventsAfter(after);
  if (recent === undefined) {
    await log.readWhole((stored) => {
      show(log.feed.eventsAfter(after, stored));
      join();
    });
  } else {
    show(recent);
    join();
  }
  runtime.follow();
}

/** What a reader gets that joins a session: first what it has missed, then everything as it happens. */
import type { Cursor, PlacedEvent, StoredEntry } from "@capstan/log";
import { EventFeed, compareCursors } from "@capstan/log";
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
    const past = new EventFeed(runtime.id);
    const missed: PlacedEvent[] = [];
    const take = (stored: readonly StoredEntry[]): void => {
      for (const placed of past.takeStored(stored)) {
        if (compareCursors(placed.cursor, after) > 0) missed.push(placed);
      }
    };
    await log.readPages(take, () => {
      show(log.feed.withLive(after, missed));
      join();
    });
  } else {
    show(recent);
    join();
  }
  runtime.follow();
}

/** Events for a reader that joins a session: first those it has missed, then everything as it happens. */
import type { Cursor, PlacedEvent, StoredEntry } from "@capstan/log";
import { EventFeed, compareCursors } from "@capstan/log";
import { readPages } from "./log-pages.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";

export interface ReplayReader {
  /** Called before the first page, when everything stored is folded. */
  begin?(): void;
  /** Called with each page of missed events, in order. */
  show(events: readonly PlacedEvent[]): void;
  /** Called after the last page. From then on the reader gets events as they happen, without a gap. */
  join(): void;
  /** Called after each page: a promise delays the next one. */
  ready?(): Promise<void> | undefined;
  /** Called after each page: true stops the replay. */
  hasLeft?(): boolean;
}

/** Delivers the events after a cursor from the log, and joins without a gap. */
export async function replay(
  runtime: SessionRuntime,
  after: Cursor,
  reader: ReplayReader,
): Promise<void> {
  const { log } = runtime;
  // The reader may have seen more in another process than this process has read.
  await log.catchUp();
  reader.begin?.();
  const recent = log.feed.recentEventsAfter(after);
  if (recent === undefined) {
    const past = new EventFeed(runtime.id);
    const take = async (stored: readonly StoredEntry[]): Promise<boolean> => {
      reader.show(
        past.takeStored(stored).filter(({ cursor }) => compareCursors(cursor, after) > 0),
      );
      await reader.ready?.();
      return reader.hasLeft?.() !== true;
    };
    await readPages(log, take, () => showAndJoin(log.feed, log.feed.withLive(after, []), reader));
  } else showAndJoin(log.feed, recent, reader);
  runtime.wakeups.follow();
}

/** A reader may cause events while it is shown these: it has not joined yet, so they follow here. */
function showAndJoin(
  feed: EventFeed,
  missed: readonly PlacedEvent[],
  { show, join }: ReplayReader,
): void {
  let events = missed;
  for (let last = events.at(-1); last !== undefined; last = events.at(-1)) {
    show(events);
    events = feed.recentEventsAfter(last.cursor) ?? [];
  }
  join();
}

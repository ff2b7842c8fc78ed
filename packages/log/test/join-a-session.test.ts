import { compareCursors, EventFeed, eventsOf, isLiveOnly, startCursor } from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Reader } from "./followers.ts";
import { playSession, stored } from "./play-session.ts";
import type { PlayedSession } from "./play-session.ts";
import { sessionScenarios } from "./session-scenarios.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

/** A reader that has seen so many of the events leaves, and comes back at a later moment. */
const absences = fc.record({ moment: fc.nat(), seen: fc.nat() });

test("a reader that comes back gets every fact that it has not seen, and none twice", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, absences, async (scenario, absence) => {
      const session = await playSession(scenario);
      const { feed, reader } = leave(session, absence);

      const cursor = reader.events.at(-1)?.cursor ?? startCursor;
      const missed = feed.eventsAfter(cursor, stored(session.entries));

      const told = eventsOf(
        "s1",
        session.entries.filter(({ seq }) => seq <= feed.fold.seq),
      );
      const unseen = told.filter((placed) => compareCursors(placed.cursor, cursor) > 0);
      expect(missed.filter(({ event }) => !isLiveOnly(event))).toEqual(unseen);
      expect(missed.slice(0, -1).filter(({ event }) => isLiveOnly(event))).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("a reader that comes back sees of what is live what one sees who never left", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, absences, async (scenario, absence) => {
      const session = await playSession(scenario);
      const { feed, reader } = leave(session, absence);

      const cursor = reader.events.at(-1)?.cursor ?? startCursor;
      reader.take(feed.eventsAfter(cursor, stored(session.entries)));

      expect(reader.view).toEqual(feed.snapshotFrame().events[0]);
    }),
    { numRuns },
  );
}, 600_000);

test("a reader that has missed nothing gets nothing", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, absences, async (scenario, { moment }) => {
      const session = await playSession(scenario);
      const { feed } = leave(session, { moment, seen: 0 });

      expect(feed.eventsAfter(feed.cursor, stored(session.entries))).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("a reader that has missed little is told the same without the log", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, absences, async (scenario, absence) => {
      const session = await playSession(scenario);
      const { feed, reader } = leave(session, absence);

      const cursor = reader.events.at(-1)?.cursor ?? startCursor;
      const all = feed.eventsAfter(cursor, stored(session.entries));

      expect(feed.recentEventsAfter(cursor) ?? all).toEqual(all);
      expect(feed.recentEventsAfter(feed.cursor)).toEqual([]);

      feed.forgetRecent();

      expect(feed.recentEventsAfter(cursor) ?? all).toEqual(all);
      expect(feed.recentEventsAfter(feed.cursor)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

/** The feed at that moment, and a reader that was there for the first events only. */
function leave(
  session: PlayedSession,
  absence: { readonly moment: number; readonly seen: number },
): { readonly feed: EventFeed; readonly reader: Reader } {
  const feed = new EventFeed("s1");
  const { entries, moments } = session;
  const events: PlacedEvent[] = [];
  for (const moment of moments.slice(0, 1 + (absence.moment % moments.length))) {
    if (moment.type === "entries") {
      events.push(...feed.takeStored(stored(entries.filter(({ seq }) => seq <= moment.lastSeq))));
    } else {
      const { turnId } = moment.placed.event;
      // Facts of a process that died right after recording them are read before anything else is shown.
      events.push(
        ...feed.takeStored(stored(entries.filter(({ seq }) => seq <= moment.snapshot.seq))),
      );
      expect(feed.fold.turn?.turnId).toBe(turnId);
      events.push(feed.live(moment.placed.event));
    }
  }
  const reader = new Reader();
  reader.take(events.slice(0, absence.seen % (events.length + 1)));
  return { feed, reader };
}

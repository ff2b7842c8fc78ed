import { compareCursors, eventsOf, isLiveOnly } from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Follower, onTime } from "./followers.ts";
import type { Delivery } from "./followers.ts";
import { playSession } from "./play-session.ts";
import { sessionScenarios } from "./session-scenarios.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

const deliveries: fc.Arbitrary<readonly Delivery[]> = fc.array(
  fc.record({
    delay: fc.oneof(
      { arbitrary: fc.constant(0), weight: 3 },
      fc.nat({ max: 8 }),
      fc.constant(undefined),
    ),
    isDoubled: fc.boolean(),
    isTold: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);

test("a follower that gets everything in time sees what the owner shows", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const session = await playSession(scenario);
      const follower = new Follower(session);

      follower.follow([onTime]);

      const live = session.moments.flatMap((moment) =>
        moment.type === "live" ? [moment.placed] : [],
      );
      const shown = follower.reader.events.filter(({ event }) => event.type !== "snapshot");
      expect(shown.filter(({ event }) => isLiveOnly(event))).toEqual(live);
      expect(shown.filter(isTold)).toEqual(eventsOf("s1", session.entries));
      expect(follower.wrongViews).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("whatever is lost, late or doubled, a follower gets every fact once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, deliveries, async (scenario, line) => {
      const session = await playSession(scenario);
      const follower = new Follower(session);

      follower.follow(line);

      const { events } = follower.reader;
      expect(events.filter(isTold)).toEqual(eventsOf("s1", session.entries));
      expect(events.filter((placed, at) => !isBehind(placed, events[at - 1]))).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("whatever is lost, late or doubled, a follower that is shown something live sees what the owner sees there", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, deliveries, async (scenario, line) => {
      const follower = new Follower(await playSession(scenario));

      follower.follow(line);

      expect(follower.wrongViews).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

function isTold({ event }: PlacedEvent): boolean {
  return !isLiveOnly(event);
}

/** A snapshot has the cursor of the last event that it replaces, which the reader may have seen. */
function isBehind({ cursor, event }: PlacedEvent, before: PlacedEvent | undefined): boolean {
  if (before === undefined) return true;
  const order = compareCursors(before.cursor, cursor);
  return order < 0 || (order === 0 && event.type === "snapshot");
}

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Operation } from "./arbitrary-operations.ts";
import { operations } from "./arbitrary-operations.ts";
import { PlayedSession } from "./played-session.ts";
import { createSurroundings } from "./surroundings.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

test("a session that goes on elsewhere from a snapshot is as if it had never stopped", async () => {
  await fc.assert(
    fc.asyncProperty(operations(8), operations(6), async (before, after) => {
      const stayed = await playInTwoParts(before, after, (played) => played.looked());
      const moved = await playInTwoParts(before, after, (played) => played.moved());

      expect(moved).toEqual(stayed);
    }),
    { numRuns },
  );
}, 600_000);

/** What there is to see of it, from the moment on in which no turn runs. */
async function playInTwoParts(
  before: readonly Operation[],
  after: readonly Operation[],
  goOn: (played: PlayedSession) => Promise<PlayedSession>,
): Promise<object> {
  const surroundings = createSurroundings();
  const first = PlayedSession.create(surroundings);
  for (const operation of before) await first.play(operation);
  await first.rest();
  const second = await goOn(first);
  const states = [second.live()];
  for (const operation of after) {
    await second.play(operation);
    states.push(second.live());
  }
  await second.rest();
  states.push(second.live());
  const requests = surroundings.provider.requests.map(
    ({ messages, tools, options, turnId, step }) => ({ messages, tools, options, turnId, step }),
  );
  await second.close();
  // Those of the first part are the first's alone, where it moved.
  return { states, requests, outcomes: second.outcomes.slice(-after.length) };
}

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { circumstances, runUnder } from "./circumstances.ts";
import { faultsOf } from "./turn-rules.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 1_000);

test("whatever happens to a turn, it ends once, its transcript is valid, and nothing runs that should not", async () => {
  await fc.assert(
    fc.asyncProperty(circumstances, async (given) => {
      const turn = await runUnder(given);

      expect(faultsOf(turn)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("no timer outlives its turn", async () => {
  await fc.assert(
    fc.asyncProperty(circumstances, async (given) => {
      const turn = await runUnder(given);

      expect(turn.timersLeft).toBe(0);
    }),
    { numRuns: numRuns / 4 },
  );
}, 600_000);

test("the same circumstances and the same order of settlement give the same events and facts", async () => {
  await fc.assert(
    fc.asyncProperty(circumstances, async (given) => {
      const first = await runUnder(given);
      const second = await runUnder(given);

      expect(second.happenings).toEqual(first.happenings);
    }),
    { numRuns: numRuns / 4 },
  );
}, 600_000);

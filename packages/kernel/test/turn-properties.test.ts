import type { AgentEvent } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { circumstances, runUnder } from "./circumstances.ts";
import { problemsOf } from "./turn-problems.ts";

// The kernel's own tests explore; these show that the kit fits it, and should not depend on luck.
const seed = 2;

test("whatever a provider does and whenever it is aborted, a turn leaves no fault", async () => {
  await fc.assert(
    fc.asyncProperty(circumstances, async (given) => {
      const turn = await runUnder(given);

      expect(problemsOf(turn)).toEqual([]);
    }),
    { numRuns: 300, seed },
  );
});

test("the same circumstances give the same events", async () => {
  await fc.assert(
    fc.asyncProperty(circumstances, async (given) => {
      const first: readonly AgentEvent[] = (await runUnder(given)).events;
      const second: readonly AgentEvent[] = (await runUnder(given)).events;

      expect(second).toEqual(first);
    }),
    { numRuns: 50, seed },
  );
});

/** A short run of `npm run crash:processes`. */
import { expect, test } from "vitest";
import { prepare } from "../scripts/crash-processes/prepare.ts";
import { runCrashes } from "../scripts/crash-processes/run.ts";

test.for(["sqlite", "fs", "postgres"])(
  "%s: processes that are killed at any time lose nothing and do nothing twice that must not be",
  { timeout: 120_000 },
  async (store, { skip }) => {
    const ground = await prepare(store).catch((thrown: unknown) => String(thrown));
    if (typeof ground === "string") skip(ground);
    await using held = typeof ground === "string" ? undefined : ground;
    if (held === undefined) throw new Error("skipped");

    const summary = await runCrashes({ ...held, workers: 2, rounds: 12, sessions: 4, seed: 3 });

    expect(summary.problems).toEqual([]);
    expect(summary.turns).toBeGreaterThan(4);
    expect(summary.effects).toBeGreaterThan(4);
    expect(summary.outages > 0).toBe(held.server !== undefined);
  },
);

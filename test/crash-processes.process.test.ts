/** A short run of `npm run crash:processes`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Fleet } from "../scripts/crash-processes/fleet.ts";
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

    const summary = await runCrashes({ ...held, workers: 2, rounds: 9, sessions: 4, seed: 3 });

    expect(summary.problems).toEqual([]);
    expect(summary.turns).toBeGreaterThan(4);
    expect(summary.effects).toBeGreaterThan(4);
    expect(summary.outages > 0).toBe(held.server !== undefined);
  },
);

test.for(["SIGABRT", "SIGKILL"] as const)(
  "a worker that dies by %s on its own is a problem, and another takes its place",
  { timeout: 60_000 },
  async (signal) => {
    const fleet = aFleet();
    await fleet.start();
    const [first = 0, second = 0] = fleet.pids;

    process.kill(first, signal);
    await expect.poll(() => fleet.pids, { timeout: 10_000 }).toEqual([second]);
    await fleet.kill(() => 0);
    const after = fleet.pids;
    await fleet.stop();

    expect(after).toHaveLength(2);
    expect(fleet.errors).toEqual([`Worker ${first} ended by itself, with ${signal}`]);
  },
);

function aFleet(): Fleet {
  const folder = mkdtempSync(join(tmpdir(), "capstan-fleet-"));
  const fleet = new Fleet({
    settings: { name: "fs", place: folder, effectsFile: join(folder, "effects.jsonl") },
    size: 2,
    leaseMs: () => 1_000,
    onMessage: () => {},
  });
  onTestFinished(async () => {
    await fleet.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return fleet;
}

/**
 * The command is killed at random moments, and its session is continued until it is done. CAPSTAN_KILLS and CAPSTAN_SEED change how often
 * and when.
 */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Outcome } from "./killed-session.ts";
import { runKilledSession } from "./killed-session.ts";
import type { RunningCommand } from "./spawn-command.ts";

const kills = Number(process.env["CAPSTAN_KILLS"] ?? 20);
const seed = Number(process.env["CAPSTAN_SEED"] ?? 1);
const msPerKill = 15_000;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns true if the command was killed before its end. Most moments are within replies and tools, the others also before. */
async function killAtRandom(
  random: () => number,
  { child, ended, seen }: RunningCommand,
): Promise<boolean> {
  const isEarly = random() < 0.2;
  const ms = random() * (isEarly ? 3_000 : 500);
  const isOver = ended.then(() => true);
  // A command without further replies ends, and has nothing to be killed in.
  await seen(isEarly ? "capstan: using" : "model: step").catch(() => {});
  if (await Promise.race([isOver, wait(ms, false)])) return false;
  child.kill("SIGKILL");
  const { signal } = await ended;
  return signal === "SIGKILL";
}

test(
  `killed ${kills} times at random moments, nothing is done twice or in part, and nothing is left behind`,
  { timeout: 60_000 + kills * msPerKill },
  async () => {
    const outcomes: Outcome[] = [];
    let left = kills;
    let started = 0;
    // Sessions wait most of the time, so that two share the machine.
    const work = async (): Promise<void> => {
      while (left > 0) {
        const planned = Math.min(left, 6);
        left -= planned;
        started += 1;
        const random = randomOf(seed * 1_000 + started);
        const outcome = await runKilledSession(planned, (command) => killAtRandom(random, command));
        outcomes.push(outcome);
        left += planned - outcome.kills;
      }
    };
    await Promise.all([work(), work()]);

    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.kills, 0)).toBe(kills);
  },
);

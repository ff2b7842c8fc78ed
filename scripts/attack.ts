// `npm run attack -- --seconds 60`: 50 honest clients of a real server, first alone and then beside clients that mean harm.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runAttackers } from "./attack/attackers.ts";
import type { HonestResult } from "./attack/honest.ts";
import { runHonest } from "./attack/honest.ts";
import type { Measures } from "./attack/server.ts";
import type { Target } from "./attack/target.ts";
import { startTarget } from "./attack/target.ts";

const help = `npm run attack -- [options]

Starts a server with SQLite in a process of its own, at 127.0.0.1 only, and 50 honest clients; for the second half of the time beside an attack: headers
that come letter by letter, sockets that are half closed, bodies that are deep, wide, large or never end, slow readers of a tool that shows much, and a long
session that is read again and again.

Judged, in the server's process:
  the longest stretch in which it did one thing   50 ms at most, in CPU time between two ticks of a timer, so that other programs do not matter. How late
                                                  timers were (monitorEventLoopDelay) is judged as well, if the machine is idle: if they were not
                                                  late without the attack
  its CPU time for each honest request            1.5 times that without the attack, at most, all that the attack costs included
  its memory (RSS)                                600 MB at most
  honest turns                                    each is completed, and has its text
Wall times are shown and not judged.

  --seconds N      for both halves together (default 60)
  --help           this text

Exit code: 0 if all is well, 1 if something is not, 2 if the arguments are wrong.`;

const maxStretchMs = 50;
const maxCpuFactor = 1.5;
const maxRssBytes = 600_000_000;
const honestClients = 50;

try {
  process.exitCode = await main();
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const seconds = Number(values.seconds);
  if (!(seconds >= 10))
    throw new Error(`--seconds takes a number from 10 on, not ${values.seconds}`);
  const folder = mkdtempSync(join(tmpdir(), "capstan-attack-"));
  const honest = Array.from({ length: honestClients }, (_, n) => `honest-${n}-0123456789abcdef`);
  const attackers = [
    "bad-0-0123456789abcdef",
    "bad-1-0123456789abcdef",
    "bad-2-0123456789abcdef",
  ] as const;
  const target = await startTarget({
    path: join(folder, "attack.db"),
    principals: Object.fromEntries([...honest, ...attackers].map((token) => [token, token])),
    owner: attackers[0],
    turns: 400,
  });
  try {
    const halfMs = (seconds * 1_000) / 2;
    // What is compiled and cached at first belongs to neither half.
    await runHonest(target, honest, performance.now() + 2_000);
    const alone = await phase(target, honest, halfMs);
    show("alone", alone);
    const stop = new AbortController();
    const attack = runAttackers({ target, tokens: attackers, signal: stop.signal });
    await sleep(1_000);
    const attacked = await phase(target, honest, halfMs);
    stop.abort();
    await attack;
    show("attacked", attacked);
    const problems = judge(alone, attacked);
    for (const problem of problems) console.log(`- ${problem}`);
    console.log(problems.length === 0 ? "It holds." : `${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Phase extends HonestResult {
  readonly measures: Measures;
}

async function phase(target: Target, tokens: readonly string[], ms: number): Promise<Phase> {
  await target.measure();
  const result = await runHonest(target, tokens, performance.now() + ms);
  return { ...result, measures: await target.measure() };
}

function judge(alone: Phase, attacked: Phase): readonly string[] {
  const problems = [...alone.problems, ...attacked.problems];
  const { stretchMs, lateMs, peakRssBytes } = attacked.measures;
  const isIdle = alone.measures.lateMs <= maxStretchMs;
  if (isIdle && lateMs > maxStretchMs) {
    problems.push(
      `Timers were late by ${lateMs.toFixed(0)} ms, and ${maxStretchMs} ms are allowed`,
    );
  }
  if (stretchMs > maxStretchMs) {
    problems.push(
      `The process did one thing for ${stretchMs.toFixed(0)} ms, and ${maxStretchMs} ms are allowed`,
    );
  }
  const factor = cpuOf(attacked) / cpuOf(alone);
  if (factor > maxCpuFactor) {
    problems.push(
      `An honest request takes ${factor.toFixed(2)} times the CPU time, and ${maxCpuFactor} times are allowed`,
    );
  }
  if (peakRssBytes > maxRssBytes) {
    problems.push(
      `The process has ${megabytes(peakRssBytes)}, and ${megabytes(maxRssBytes)} are allowed`,
    );
  }
  return problems;
}

function cpuOf({ measures, turns }: Phase): number {
  return measures.cpuMs / Math.max(1, turns);
}

function show(name: string, result: Phase): void {
  const { turns, wallMs, measures } = result;
  const sorted = wallMs.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  const { stretchMs, lateMs, peakRssBytes } = measures;
  console.log(
    `${name}: ${turns} turns, wall ${at(0.5)} ms (p50), ${at(0.99)} ms (p99); CPU ${cpuOf(result).toFixed(2)} ms a turn; longest stretch ${stretchMs.toFixed(0)} ms, timers late by ${lateMs.toFixed(0)} ms; memory ${megabytes(peakRssBytes)}`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

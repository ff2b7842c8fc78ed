/**
 * The command is killed at random moments, and its session is continued until it is done. CAPSTAN_KILLS and CAPSTAN_SEED change how often
 * and when.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { contentOf, planOf, rounds } from "./fixtures/plan.ts";
import { temporaryFolder } from "./memory-io.ts";
import type { RunningCommand } from "./spawn-command.ts";
import { files, spawnCommand, temporaryHome } from "./spawn-command.ts";

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

const random = randomOf(seed);

/** Returns true if the command was killed before its end. Most moments are within replies and tools, the others also before. */
async function killAtRandom({ child, ended, seen }: RunningCommand): Promise<boolean> {
  const isEarly = random() < 0.2;
  const ms = random() * (isEarly ? 3_000 : 500);
  const isOver = ended.then(() => true);
  // A command without further replies ends, and has nothing to be killed in.
  await seen(isEarly ? "capstan: using" : "model: step").catch(() => {});
  if (await Promise.race([isOver, wait(ms, false)])) return false;
  child.kill("SIGKILL");
  await ended;
  return true;
}

interface Outcome {
  readonly kills: number;
  readonly problems: readonly string[];
}

/** One session: killed until it is done, or until there were enough kills. */
async function runSession(maxKills: number): Promise<Outcome> {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  writeFileSync(join(cwd, "notes.txt"), "BEGIN\nEND\n");
  const start = (...args: readonly string[]): RunningCommand =>
    spawnCommand(files.planTurn, ["--allow=*", ...args], { home, cwd });
  let count = 0;
  let command = start("go");
  for (;;) {
    const isKilled = count < maxKills && (await killAtRandom(command));
    if (isKilled) count += 1;
    else await command.ended;
    // A command that was killed before it made its session has none to continue.
    const hasNone = command.stderr().includes("No session to resume");
    if (!isKilled && !hasNone) break;
    command = hasNone ? start("go") : start("--continue");
  }
  let { exitCode } = await command.ended;
  // It was killed between the end of its turn and its own end: then the model is asked once more.
  const isDone = command.stderr().includes("nothing to resume");
  if (isDone) {
    command = start("--continue", "report");
    ({ exitCode } = await command.ended);
  }
  const sent = isDone ? 2 : 1;
  const [stdout, stderr] = [command.stdout(), command.stderr()];
  return { kills: count, problems: problemsOf(cwd, { exitCode, stdout, stderr, sent }) };
}

interface Ending {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Number of messages that were sent. */
  readonly sent: number;
}

function problemsOf(cwd: string, { exitCode, stdout, stderr, sent }: Ending): readonly string[] {
  const problems = exitCode === 0 ? [] : [`exit code ${exitCode}`];
  const done = /Done: (.*)/.exec(stdout)?.[1];
  if (done === undefined) return [...problems, `no answer: ${stdout}${stderr}`];
  // Printed by the fixture.
  const { calls, results, users } = JSON.parse(done) as {
    readonly calls: readonly string[];
    readonly results: readonly string[];
    readonly users: number;
  };
  const text = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const notes = text("notes.txt").split("\n");
  const numbers = Array.from({ length: rounds }, (_, round) => round);
  const runs = readdirSync(cwd).includes("runs.log") ? text("runs.log").split("\n") : [];
  const expected = ["notes.txt", "runs.log", ...numbers.map((round) => `out-${round}.txt`)];
  const checks: readonly (readonly [boolean, string])[] = [
    [calls.length === planOf().length, `calls: ${calls.length}`],
    [calls.join() === results.join(), `results: ${results.join()} of ${calls.join()}`],
    [users > 0 && users <= sent, `user messages: ${users}`],
    [new Set(calls).size === calls.length, "two calls with one id"],
    [notes[0] === "BEGIN" && notes.at(-2) === "END", `notes: ${notes.join("|")}`],
    [numbers.every((n) => timesIn(notes, `line ${n}`) <= 1), `edits twice: ${notes.join("|")}`],
    [numbers.every((n) => timesIn(runs, `${n}`) <= 1), `commands twice: ${runs.join("|")}`],
    [numbers.every((n) => text(`out-${n}.txt`) === contentOf(n)), "a partial file"],
    [
      readdirSync(cwd).every((name) => expected.includes(name)),
      `left behind: ${readdirSync(cwd).join()}`,
    ],
    [processesIn(cwd) === "", `processes: ${processesIn(cwd)}`],
  ];
  return [...problems, ...checks.flatMap(([isRight, problem]) => (isRight ? [] : [problem]))];
}

function timesIn(list: readonly string[], item: string): number {
  return list.filter((one) => one === item).length;
}

function processesIn(cwd: string): string {
  const { stdout } = spawnSync("sh", ["-c", "ls -l /proc/[0-9]*/cwd 2>/dev/null"], {
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line.endsWith(` -> ${cwd}`));
  return lines.join("\n");
}

test(
  `killed ${kills} times at random moments, nothing is done twice or in part, and nothing is left behind`,
  { timeout: 60_000 + kills * msPerKill },
  async () => {
    const outcomes: Outcome[] = [];
    let left = kills;
    while (left > 0) {
      const outcome = await runSession(Math.min(left, 6));
      outcomes.push(outcome);
      left -= outcome.kills;
    }

    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.kills, 0)).toBe(kills);
  },
);

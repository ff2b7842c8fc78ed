/** One session of the command that is killed again and again, and what the kills have done to it. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "./fixtures/plan.ts";
import { contentOf, planOf, rounds } from "./fixtures/plan.ts";
import { temporaryFolder } from "./memory-io.ts";
import type { RunningCommand } from "./spawn-command.ts";
import { files, spawnCommand, temporaryHome } from "./spawn-command.ts";

export interface Outcome {
  readonly kills: number;
  /** The last line names the folder with all traces of the session. Empty if all is well. */
  readonly problems: readonly string[];
}

interface Started {
  readonly args: readonly string[];
  readonly command: RunningCommand;
}

/** `kill` returns true if it killed the command before its end. The session is continued until it is done. */
export async function runKilledSession(
  maxKills: number,
  kill: (command: RunningCommand) => Promise<boolean>,
): Promise<Outcome> {
  const [home, cwd] = [temporaryHome(), await temporaryFolder()];
  writeFileSync(join(cwd, "notes.txt"), "BEGIN\nEND\n");
  const started: Started[] = [];
  const start = (...args: readonly string[]): RunningCommand => {
    const command = spawnCommand(files.planTurn, ["--allow=*", ...args], { home, cwd });
    started.push({ args, command });
    return command;
  };
  let kills = 0;
  let command = start("go");
  for (;;) {
    const isKilled = kills < maxKills && (await kill(command));
    if (isKilled) kills += 1;
    else await command.ended;
    // A command that was killed before it made its session has none to continue.
    const hasNone = command.stderr().includes("No session to resume");
    if (!isKilled && !hasNone) break;
    command = hasNone ? start("go") : start("--continue");
  }
  // A command was killed before it had recorded its message, or between the end of its turn and its own end.
  if (command.stderr().includes("nothing to resume")) {
    command = start("--continue", "report");
    await command.ended;
  }
  const { exitCode } = await command.ended;
  const problems = [
    ...(exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...problemsIn(cwd, started),
  ];
  if (problems.length === 0) return { kills, problems };
  return { kills, problems: [...problems, keepTraces({ home, cwd }, started)] };
}

/**
 * True if the command that sent the message, or one that continued it, has asked the model: the message was recorded before. A command may
 * be killed after it has made its session and before that, so that only a later message is in it.
 */
function isAcknowledged(text: string, started: readonly Started[]): boolean {
  const last = started.findLastIndex(({ args }) => args.at(-1) === text);
  if (last === -1) return false;
  const after = started.slice(last + 1);
  const next = after.findIndex(({ args }) => args.at(-1) !== "--continue");
  return [...started.slice(last, last + 1), ...(next === -1 ? after : after.slice(0, next))].some(
    ({ command }) => command.stderr().includes("model: step"),
  );
}

function problemsIn(cwd: string, started: readonly Started[]): readonly string[] {
  const done = /Done: (.*)/.exec(started.at(-1)?.command.stdout() ?? "")?.[1];
  if (done === undefined) return ["no answer"];
  // Printed by the fixture.
  const { calls, results, users } = JSON.parse(done) as Report;
  const text = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const notes = text("notes.txt").split("\n");
  const runs = existsSync(join(cwd, "runs.log")) ? text("runs.log").split("\n") : [];
  const numbers = Array.from({ length: rounds }, (_, round) => round);
  const expected = ["notes.txt", "runs.log", ...numbers.map((round) => `out-${round}.txt`)];
  const plan = planOf();
  const isDone = (name: string, round: number): boolean =>
    results[plan.findIndex((call, index) => call.name === name && index >= round * 4)]?.isError ===
    false;
  const checks: readonly (readonly [boolean, string])[] = [
    [calls.length === plan.length, `calls: ${calls.length}`],
    [calls.join() === results.map(({ id }) => id).join(), `results: ${JSON.stringify(results)}`],
    [new Set(calls).size === calls.length, "two calls with one id"],
    [
      ["go", "report"].every((sent) => fits(timesIn(users, sent), isAcknowledged(sent, started))) &&
        users.every((user) => ["go", "report"].includes(user)),
      `user messages: ${users.join()}`,
    ],
    [notes[0] === "BEGIN" && notes.at(-2) === "END", `notes: ${notes.join("|")}`],
    [
      numbers.every((n) => fits(timesIn(notes, `line ${n}`), isDone("edit", n))),
      `edits: ${notes.join("|")}`,
    ],
    [
      numbers.every((n) => fits(timesIn(runs, `${n}`), isDone("bash", n))),
      `commands: ${runs.join("|")}`,
    ],
    [
      numbers.every((n) => {
        const isThere = existsSync(join(cwd, `out-${n}.txt`));
        return isThere ? text(`out-${n}.txt`) === contentOf(n) : !isDone("write", n);
      }),
      "a partial or a lost file",
    ],
    [
      readdirSync(cwd).every((name) => expected.includes(name)),
      `left behind: ${readdirSync(cwd).join()}`,
    ],
    [processesIn(cwd) === "", `processes: ${processesIn(cwd)}`],
  ];
  return checks.flatMap(([isRight, problem]) => (isRight ? [] : [problem]));
}

/** A call that failed because of a kill may have done its work. */
function fits(times: number, isSure: boolean): boolean {
  return isSure ? times === 1 : times === 0 || times === 1;
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

/** Copies the store, the folder, and all outputs to a folder that stays after the test. */
function keepTraces(
  places: { readonly home: string; readonly cwd: string },
  started: readonly Started[],
): string {
  const kept = mkdtempSync(join(tmpdir(), "capstan-killed-"));
  cpSync(places.home, join(kept, "home"), { recursive: true });
  cpSync(places.cwd, join(kept, "cwd"), { recursive: true });
  for (const [index, { args, command }] of started.entries()) {
    const name = join(kept, `${String(index).padStart(2, "0")} ${args.join(" ")}`);
    writeFileSync(`${name}.stdout`, command.stdout());
    writeFileSync(`${name}.stderr`, command.stderr());
  }
  return `traces: ${kept}`;
}

/** B11: how long users wait for the command, above a Node that does nothing. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Bench, Figure } from "../bench.ts";
import { judge } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { Subject } from "../subject.ts";

const base = "node";

export const b11: Bench = {
  name: "B11",
  what: "the built command: version and sessions to their end, a turn offline to its first output",
  unit: "start",
  isFor: ({ program }) => program !== undefined,
  workloads: {},
  async measure(subjects, pace) {
    // Files in the system's cache are the usual case, as in B5.
    for (const subject of subjects) await start(subject);
    const times = await interleave(subjects, pace.starts, start);
    const baseTime = Array.from(times).find(([{ name }]) => name === base)?.[1];
    if (baseTime === undefined) throw new Error(`B11 needs ${base} to compare with`);
    return Array.from(times, ([subject, perUnit]): Figure => {
      const ratio = perUnit / baseTime;
      const verdict = judge(subject, "B11", "ratio", ratio);
      return { bench: "B11", subject: subject.name, perUnit, ratio, base, ...verdict };
    });
  },
};

/** Microseconds from its start to its end, or to its first output. */
async function start({ name, program }: Subject): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, program?.args ?? [], {
    env: { ...process.env, ...program?.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let firstMs = Number.NaN;
  child.stdout.once("data", () => (firstMs = performance.now() - startedAt));
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await closed;
  const endMs = performance.now() - startedAt;
  const isRight = status === 0 && program?.says.test(stdout) === true;
  if (!isRight) throw new Error(`${name} did not end as it should: ${status} ${stdout}${stderr}`);
  return (program.isFirstOutput === true ? firstMs : endMs) * 1_000;
}

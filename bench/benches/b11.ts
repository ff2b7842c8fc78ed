/** B11: how long users wait for the command, from its start to its end, above a Node that does nothing. */
import { spawnSync } from "node:child_process";
import type { Bench, Figure } from "../bench.ts";
import { judge } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { Subject } from "../subject.ts";

const base = "node";

export const b11: Bench = {
  name: "B11",
  what: "the built command from its start to its end: version, sessions, a turn offline",
  unit: "start",
  isFor: ({ program }) => program !== undefined,
  workloads: {},
  async measure(subjects, pace) {
    // Files in the system's cache are the usual case, as in B5.
    for (const subject of subjects) start(subject);
    const times = await interleave(subjects, pace.starts, async (subject) => start(subject));
    const baseTime = Array.from(times).find(([{ name }]) => name === base)?.[1];
    if (baseTime === undefined) throw new Error(`B11 needs ${base} to compare with`);
    return Array.from(times, ([subject, perUnit]): Figure => {
      const ratio = perUnit / baseTime;
      const verdict = judge(subject, "B11", "ratio", ratio);
      return { bench: "B11", subject: subject.name, perUnit, ratio, base, ...verdict };
    });
  },
};

/** Microseconds from its start to its end. */
function start({ name, program }: Subject): number {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, program?.args ?? [], {
    encoding: "utf8",
    env: { ...process.env, ...program?.env },
  });
  const wallMs = performance.now() - startedAt;
  const isRight = status === 0 && program?.says.test(stdout) === true;
  if (!isRight) throw new Error(`${name} did not end as it should: ${status} ${stdout}${stderr}`);
  return wallMs * 1_000;
}

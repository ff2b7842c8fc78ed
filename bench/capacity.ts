/** `npm run capacity`: how many turns a second sessions run on stores that last, and how much memory sessions take that do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../packages/stores/test/postgres-server.ts";
import type { CapacityReport, CapacityTask } from "./capacity-worker.ts";
import { askWorkers } from "./capacity-workers.ts";
import type { ServerMeter } from "./server-meter.ts";
import { meterOf } from "./server-meter.ts";

const help = `npm run capacity -- [options]

Turns of 3 steps with 2 tool calls on a model that answers at once, 50 sessions at a time in each process, after a warm-up of 2 s. Beside each: how many the
bare driver could store if it did the same 7 writes and nothing else. For PostgreSQL also, for each turn: transactions, and the CPU time of our
processes and of the server.

  --seconds N   for each figure (default 5)
  --help        this text`;

const what: Readonly<Record<"idle" | "closed" | "suspended", string>> = {
  idle: "a session that is open and at rest, after a turn of 3 steps",
  closed: "the same after session.close()",
  suspended: "a session that waits for an answer, after session.close()",
};

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, help: { type: "boolean", default: false } },
});
if (values.help) console.log(help);
else await measure(Number(values.seconds) * 1_000);

async function measure(ms: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-capacity-"));
  try {
    await compare("sqlite", join(folder, "turns.db"), join(folder, "driver.db"), 1, ms);
    await tellMemory(join(folder, "memory.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await startPostgres();
  if (typeof server === "string")
    return console.error(`Not measured with PostgreSQL, as ${server}`);
  try {
    for (const processes of [1, 2, 4]) {
      await compare("postgres", server.url, server.url, processes, ms, await meterOf(server));
    }
  } finally {
    await server.stop();
  }
}

async function compare(
  kind: "sqlite" | "postgres",
  where: string,
  driverWhere: string,
  processes: number,
  ms: number,
  meter?: ServerMeter,
): Promise<void> {
  const perSecond = (reports: readonly CapacityReport[]): number =>
    sum(reports.map(({ value }) => value)) / (ms / 1_000);
  const ask = (task: CapacityTask, place: string, onWarm?: () => Promise<void>) =>
    askWorkers(processes, { task, kind, where: place, ms }, onWarm);
  const reports = await ask("turns", where, async () => meter?.start());
  const used = await meter?.read();
  const turns = perSecond(reports);
  const limit = perSecond(await ask("driver", driverWhere));
  const share = ((100 * turns) / limit).toFixed(0);
  const each = (total: number): string => (total / (turns * (ms / 1_000))).toFixed(2);
  const ours = `${each(sum(reports.map(({ cpuMs }) => cpuMs)))} ms of our CPU a turn`;
  const theirs =
    used === undefined
      ? ""
      : `, ${each(used.cpuMs)} ms of the server's, ${each(used.transactions)} transactions`;
  console.log(
    `${kind}, processes: ${processes}: ${turns.toFixed(0)} turns/s, ${ours}${theirs}; the bare driver ${limit.toFixed(0)} turns/s (${share} %)`,
  );
}

async function tellMemory(where: string): Promise<void> {
  for (const task of ["idle", "closed", "suspended"] as const) {
    const [report] = await askWorkers(1, {
      task,
      kind: "sqlite",
      where: `${where}-${task}`,
      ms: 0,
    });
    console.log(`${what[task]}: ${((report?.value ?? 0) / 1_000).toFixed(1)} KB of heap`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

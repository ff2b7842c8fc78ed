/** `npm run capacity`: how many turns a second sessions run on stores that last, and how much memory sessions take that do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import driver from "postgres";
import { startPostgres } from "../packages/stores/test/postgres-server.ts";
import type { CapacityReport, CapacityTask, DriverTask, MemoryTask } from "./capacity-worker.ts";
import { askWorkers } from "./capacity-workers.ts";
import type { ServerMeter } from "./server-meter.ts";
import { meterOf } from "./server-meter.ts";

const help = `npm run capacity -- [options]

Turns of 3 steps with 2 tool calls on a model that answers at once, 50 sessions at a time in each process, after a warm-up of 2 s. Beside each: how many the
bare driver could store if it did the same 6 writes, each in a transaction of its own, and nothing else; on SQLite also one that puts writes which come at the
same moment into one transaction. The driver has a database of its own, and runs for half of the time before the turns and for half after them. For
PostgreSQL also, for each turn: transactions, and the CPU time of our processes and of the server.

  --seconds N   for each figure (default 5)
  --waiting N   how many sessions wait for an answer when their memory is measured (default 2000)
  --statements  tells the server's time by statement, with 1, 2 and 4 processes, and nothing else
  --help        this text`;

const processCounts = [1, 2, 4];

const what: Readonly<Record<MemoryTask, string>> = {
  idle: "a session that is open and at rest, after a turn of 3 steps",
  running: "a session in the middle of a reply, one of 1,000",
  closed: "a session after a turn of 3 steps and session.close()",
  suspended: "a session that waits for an answer, after session.close()",
};

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    waiting: { type: "string", default: "2000" },
    statements: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else if (values.statements) await tellStatements(Number(values.seconds) * 1_000);
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
    const driverUrl = await createDatabase(server.url, "driver");
    for (const processes of processCounts) {
      await compare("postgres", server.url, driverUrl, processes, ms, await meterOf(server));
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
  const perSecond = async (
    task: CapacityTask,
    place: string,
    taskMs: number,
    onWarm?: () => Promise<void>,
  ): Promise<[number, readonly CapacityReport[]]> => {
    const order = { task, kind, where: place, ms: taskMs };
    const reports = await askWorkers(processes, order, onWarm);
    return [sum(reports.map(({ value }) => value)) / (taskMs / 1_000), reports];
  };
  const drivers: readonly DriverTask[] =
    kind === "sqlite" ? ["driver", "joining-driver"] : ["driver"];
  const drive = async (): Promise<number[]> => {
    const driven: number[] = [];
    for (const task of drivers) driven.push((await perSecond(task, driverWhere, ms / 2))[0]);
    return driven;
  };
  const before = await drive();
  const [turns, reports] = await perSecond("turns", where, ms, async () => meter?.start());
  const used = await meter?.read();
  const after = await drive();
  const [limit = 0, joined] = before.map((each, i) => (each + (after[i] ?? 0)) / 2);
  const shareOf = (driven: number): string =>
    `${driven.toFixed(0)} turns/s (${((100 * turns) / driven).toFixed(0)} %)`;
  const count = turns * (ms / 1_000);
  const costOf = (cpuMs: number): string =>
    `${(cpuMs / count).toFixed(2)} ms a turn (${((1_000 * count) / cpuMs).toFixed(0)} turns per core-second)`;
  const ours = `our CPU ${costOf(sum(reports.map(({ cpuMs }) => cpuMs)))}`;
  const theirs =
    used === undefined
      ? ""
      : `, the server's ${costOf(used.cpuMs)}, ${(used.transactions / count).toFixed(2)} transactions a turn`;
  console.log(
    `${kind}, processes: ${processes}: ${turns.toFixed(0)} turns/s; ${ours}${theirs}; the bare driver ${shareOf(limit)}${joined === undefined ? "" : `, joining writes ${shareOf(joined)}`}`,
  );
}

async function tellMemory(where: string): Promise<void> {
  const counts = { idle: 2_000, running: 1_000, closed: 2_000, suspended: Number(values.waiting) };
  for (const task of ["idle", "running", "closed", "suspended"] as const) {
    const [report] = await askWorkers(1, {
      task,
      kind: "sqlite",
      where: `${where}-${task}`,
      ms: 0,
      sessions: counts[task],
    });
    console.log(`${what[task]}: ${((report?.value ?? 0) / 1_000).toFixed(1)} KB of heap`);
  }
}

async function createDatabase(url: string, name: string): Promise<string> {
  const sql = driver(url, { max: 1 });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** On a server that counts, which takes some of its time. */
async function tellStatements(ms: number): Promise<void> {
  const server = await startPostgres(["shared_preload_libraries=pg_stat_statements"]);
  if (typeof server === "string") return console.error(`Not measured, as ${server}`);
  const sql = driver(server.url, { max: 1, onnotice: () => {} });
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
    for (const processes of processCounts) {
      const order = { task: "turns", kind: "postgres", where: server.url, ms } as const;
      const reset = async (): Promise<void> => {
        await sql`SELECT pg_stat_statements_reset()`;
      };
      const turns = sum((await askWorkers(processes, order, reset)).map(({ value }) => value));
      await tellTimes(sql, processes, turns);
    }
  } finally {
    await sql.end();
    await server.stop();
  }
}

async function tellTimes(sql: driver.Sql, processes: number, turns: number): Promise<void> {
  const rows = await sql`
    SELECT calls::float8 AS calls, total_exec_time AS ms, regexp_replace(query, '\\s+', ' ', 'g') AS query
    FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat%' ORDER BY total_exec_time DESC`;
  const total = sum(rows.map(({ ms }) => Number(ms)));
  console.log(
    `processes: ${processes}, ${turns} turns, ${(total / turns).toFixed(3)} ms of statements a turn; for each turn: calls, ms in the server, share, statement`,
  );
  for (const { calls, ms, query } of rows.slice(0, 6)) {
    const each = [Number(calls) / turns, Number(ms) / turns].map((value) => value.toFixed(3));
    const share = `${((100 * Number(ms)) / total).toFixed(0)} %`;
    console.log(`  ${each.join("  ")}  ${share}  ${String(query).slice(0, 150)}`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

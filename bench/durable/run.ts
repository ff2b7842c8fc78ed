/** `npm run durable`: the same turn on durable runtimes, in one run: turns a second, and the CPU time of ours and of the server. */
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { startPostgres } from "../../packages/stores/test/postgres-server.ts";
import { median } from "../interleave.ts";
import type { DurableFigure } from "../results-page.ts";
import { cpuMsOf, parentOf } from "./server-cpu.ts";

const help = `npm run durable -- [options]

A turn of 3 model calls and 2 tool calls, 50 sessions at once in one process, on a model that answers at once. Capstan, DBOS and LangGraph
store on the same PostgreSQL, each in its own database; Restate has a server of its own. Needs the packages of bench/durable/peers:
npm ci --prefix bench/durable/peers

  --seconds N   for each figure (default 6)
  --rounds N    in turn; the medians count (default 3)
  --json        one object per line instead of a table
  --help        this text`;

/** Sent by a worker at its end. */
interface Told {
  readonly turns: number;
  readonly seconds: number;
  readonly cpuMs: number;
}

interface Figures extends Told {
  readonly serverMs: number;
}

const peers = join(import.meta.dirname, "peers");
const subjects = {
  capstan: join(import.meta.dirname, "capstan.ts"),
  restate: join(peers, "restate.mjs"),
  dbos: join(peers, "dbos.mjs"),
  langgraph: join(peers, "langgraph.mjs"),
};
type Name = keyof typeof subjects;
const names = ["capstan", "restate", "dbos", "langgraph"] as const;

/** How many times the turns a second of each peer we want. */
const goals: Readonly<Record<Exclude<Name, "capstan">, number>> = {
  restate: 1.5,
  dbos: 2,
  langgraph: 8,
};
const goalCpuMs = 1.2;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "6" },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else await compare(Number(values.seconds) * 1_000, Number(values.rounds));

async function compare(ms: number, rounds: number): Promise<void> {
  if (!existsSync(join(peers, "node_modules"))) {
    throw new Error("The peers are not installed: npm ci --prefix bench/durable/peers");
  }
  const server = await startPostgres();
  if (typeof server === "string") throw new Error(`Nothing was measured, as ${server}`);
  const measured: Record<Name, Figures[]> = { capstan: [], restate: [], dbos: [], langgraph: [] };
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const postmaster = parentOf(backend?.pid ?? 0);
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of names) {
        const database = `${name}_${round}`;
        await sql.unsafe(`create database ${database}`);
        const where = new URL(server.url);
        where.pathname = `/${database}`;
        const figures = await run(subjects[name], where.href, ms, postmaster);
        console.error(`round ${round}: ${name} ${(figures.turns / figures.seconds).toFixed(0)}/s`);
        measured[name].push(figures);
        // What one left to do must not be counted with the next.
        await sql.unsafe("checkpoint");
      }
    }
  } finally {
    await sql.end();
    await server.stop();
  }
  report(measured);
}

/** Runs one subject in a process of its own. CPU time counts from the end of its warm-up. */
function run(file: string, where: string, ms: number, postmaster: number): Promise<Figures> {
  const child = fork(file, [JSON.stringify({ where, ms })], {
    execArgv: ["--conditions=@capstan/source", "--no-warnings"],
    // By default it writes a line for each turn.
    env: { ...process.env, RESTATE_LOGGING: "ERROR" },
  });
  let server = postmaster;
  let before = 0;
  return new Promise((resolve, reject) => {
    child.on("message", (message: "warm" | { readonly serverPid: number } | Told) => {
      if (message === "warm") {
        before = cpuMsOf(server);
        child.send("go");
      } else if ("serverPid" in message) server = message.serverPid;
      else resolve({ ...message, serverMs: cpuMsOf(server) - before });
    });
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

function report(measured: Readonly<Record<Name, readonly Figures[]>>): void {
  const mid = (name: Name, figureOf: (figures: Figures) => number): number =>
    median(measured[name].map(figureOf));
  const perSecond = (name: Name): number => mid(name, ({ turns, seconds }) => turns / seconds);
  const all: DurableFigure[] = names.map((name) => ({
    name,
    turnsPerSecond: perSecond(name),
    ratio: perSecond("capstan") / perSecond(name),
    ...(name !== "capstan" && { goal: goals[name] }),
    clientMs: mid(name, ({ cpuMs, turns }) => cpuMs / turns),
    serverMs: mid(name, ({ serverMs, turns }) => serverMs / turns),
  }));
  if (values.json) for (const figure of all) console.log(JSON.stringify(figure));
  else print(all);
}

function print(all: readonly DurableFigure[]): void {
  console.log("              turns/s    ours, times   goal   CPU ms a turn: client   server");
  for (const { name, turnsPerSecond, ratio, goal, clientMs, serverMs } of all) {
    const times = goal === undefined ? "" : `${ratio.toFixed(2)} ×`;
    const wanted = goal === undefined ? "" : `≥ ${goal} ×`;
    const aside = goal === undefined ? `  (goal ≤ ${goalCpuMs})` : "";
    console.log(
      `${name.padEnd(10)} ${turnsPerSecond.toFixed(0).padStart(10)} ${times.padStart(14)} ${wanted.padStart(8)} ${clientMs.toFixed(2).padStart(20)} ${serverMs.toFixed(2).padStart(10)}${aside}`,
    );
  }
}

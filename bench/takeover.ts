/** `npm run takeover`: how soon the turns of a killed process go on in another. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../packages/stores/test/postgres-server.ts";
import type { DurableKind } from "./subject.ts";
import { createStandingHost, leaseMs, pollMs } from "./takeover-host.ts";

const help = `npm run takeover -- [options]

Kills a process with turns under way, and measures when each goes on in a host that was there before. Leases last ${leaseMs} ms; a host polls every ${pollMs} ms.

  --store NAME    sqlite or postgres (default both)
  --sessions N    turns of the killed process (default 1000)
  --slots N       maxTurns of the host that is left (default 1000)
  --turn-ms N     how long a turn lasts that has gone on (default 0)
  --help          this text`;

const { values } = parseArgs({
  options: {
    store: { type: "string" },
    sessions: { type: "string", default: "1000" },
    slots: { type: "string", default: "1000" },
    "turn-ms": { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else await measure();
process.exit();

async function measure(): Promise<void> {
  const { store } = values;
  if (store !== "postgres") await measureSqlite();
  if (store !== "sqlite") await measurePostgres();
}

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-takeover-"));
  try {
    await takeOver("sqlite", join(folder, "sessions.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(): Promise<void> {
  const server = await startPostgres();
  if (typeof server === "string")
    return console.error(`Not measured with PostgreSQL, as ${server}`);
  try {
    await takeOver("postgres", server.url);
  } finally {
    await server.stop();
  }
}

async function takeOver(kind: DurableKind, where: string): Promise<void> {
  const order = { kind, where, sessions: Number(values.sessions), slots: Number(values.slots) };
  const worker = fork(join(import.meta.dirname, "takeover-worker.ts"), [JSON.stringify(order)], {
    execArgv: ["--conditions=@capstan/source", "--no-warnings"],
  });
  await once(worker, "message");
  const all = Promise.withResolvers<void>();
  const times = new Map<string, number>();
  let killedAt = 0;
  const { host, store } = createStandingHost(order, (sessionId) => {
    times.set(sessionId, performance.now() - killedAt);
    if (times.size === order.sessions) all.resolve();
    return wait(Number(values["turn-ms"]));
  });
  await wait(pollMs / 2);
  const cpu = process.cpuUsage();
  killedAt = performance.now();
  worker.kill("SIGKILL");
  // The timers of a host keep no process alive.
  const alive = setInterval(() => {}, pollMs);
  await all.promise;
  clearInterval(alive);
  const { user, system } = process.cpuUsage(cpu);
  tell(kind, order, [...times.values()], (user + system) / 1_000);
  await host.close();
  await store.close();
}

function tell(
  kind: DurableKind,
  { sessions, slots }: { readonly sessions: number; readonly slots: number },
  times: readonly number[],
  cpuMs: number,
): void {
  const sorted = times.toSorted((a, b) => a - b).map(Math.round);
  const figures = `first ${sorted[0]} ms, median ${sorted[sorted.length >> 1]} ms, last ${sorted.at(-1)} ms`;
  console.log(
    `${kind}: ${sessions} sessions, ${slots} slots: ${figures} after the kill; the host used ${Math.round(cpuMs)} ms of CPU`,
  );
}

/** What a PostgreSQL server of our own does in a while: transactions, and CPU time as Linux counts it. */
import { readFileSync } from "node:fs";
import driver from "postgres";
import type { PostgresServer } from "../packages/stores/test/postgres-server.ts";

interface ServerUse {
  readonly transactions: number;
  readonly cpuMs: number;
}

export interface ServerMeter {
  start(): Promise<void>;
  /** Since the start. */
  read(): Promise<ServerUse>;
}

/** Undefined for a server that is not ours, and on systems without `/proc`. */
export async function meterOf(server: PostgresServer): Promise<ServerMeter | undefined> {
  const { process: own, url } = server;
  if (own === undefined || process.platform !== "linux") return undefined;
  const look = async (): Promise<ServerUse> => {
    const sql = driver(url, { max: 1 });
    const [row] =
      await sql`SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()`;
    await sql.end();
    const [first, ...workers] = own.pids();
    const running = workers.reduce((sum, pid) => sum + ticksOf(pid, 2), 0);
    const ticks = running + ticksOf(first, 4);
    return { transactions: (row?.["n"] as number | undefined) ?? 0, cpuMs: ticks * 10 };
  };
  let before: ServerUse | undefined;
  return {
    async start() {
      before = await look();
    },
    async read() {
      const after = await look();
      const { transactions = 0, cpuMs = 0 } = before ?? {};
      return { transactions: after.transactions - transactions, cpuMs: after.cpuMs - cpuMs };
    },
  };
}

/** User and system time of the process, with 4 fields also that of its workers that have ended. A tick is 10 ms. */
function ticksOf(pid: number | undefined, fields: 2 | 4): number {
  if (pid === undefined) return 0;
  const stat = statOf(pid);
  // Behind the name, which may have spaces, stand the state and ten other fields.
  const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return rest.slice(11, 11 + fields).reduce((sum, each) => sum + Number(each), 0);
}

/** Empty for a worker that has just ended: its time is counted with the first process. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It ended after the list of workers was read.
    return "";
  }
}

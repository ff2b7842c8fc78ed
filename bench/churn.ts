/** `npm run churn`: how much PostgreSQL's tables grow beyond their rows while sessions come and go. */
import { parseArgs } from "node:util";
import driver from "postgres";
import type { Sql } from "postgres";
import { startPostgres } from "../packages/stores/test/postgres-server.ts";
import { askWorkers } from "./capacity-workers.ts";

const help = `npm run churn -- [options]

Runs turns of 3 steps in 50 sessions at a time on a PostgreSQL with its own settings. A session lives for 20 turns; every second one is deleted then. Afterwards
each table and each index is compared with its size after VACUUM FULL: the rest is bloat.

  --minutes N   (default 10)
  --help        this text`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else await measure(Number(values.minutes));

async function measure(minutes: number): Promise<void> {
  const server = await startPostgres();
  if (typeof server === "string") return console.error(`Not measured, as ${server}`);
  const sql = driver(server.url, { max: 1, onnotice: () => {} });
  try {
    const ms = minutes * 60_000;
    const order = { task: "churn", kind: "postgres", where: server.url, ms } as const;
    const [report] = await askWorkers(1, order);
    console.log(`${minutes} minutes: ${report?.value ?? 0} turns`);
    await tellUpdates(sql);
    await tellBloat(sql);
  } finally {
    await sql.end();
    await server.stop();
  }
}

/** Statistics reach the server's view with a delay. */
async function tellUpdates(sql: Sql): Promise<void> {
  await sql`SELECT pg_stat_force_next_flush()`;
  const rows = await sql`
    SELECT relname, n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot, n_live_tup::float8 AS live,
      n_dead_tup::float8 AS dead, autovacuum_count::float8 AS vacuums
    FROM pg_stat_user_tables WHERE schemaname = 'capstan' AND n_tup_ins > 0 ORDER BY relname`;
  for (const { relname, updates, hot, live, dead, vacuums } of rows) {
    const share = updates === 0 ? "" : ` (${((100 * hot) / updates).toFixed(0)} % HOT)`;
    console.log(
      `${relname}: ${updates} updates${share}, ${live} live and ${dead} dead rows, ${vacuums} autovacuums`,
    );
  }
}

async function tellBloat(sql: Sql): Promise<void> {
  const before = await sizes(sql);
  await sql.unsafe("VACUUM FULL capstan.sessions, capstan.entries");
  const after = await sizes(sql);
  for (const [name, bytes] of before) {
    // An empty one still has its first page.
    const least = Math.max(after.get(name) ?? 0, 8_192);
    const ratio = (bytes / least).toFixed(2);
    console.log(`${name}: ${toMB(bytes)} MB, ${toMB(least)} MB after VACUUM FULL (${ratio} ×)`);
  }
}

async function sizes(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql`
    SELECT c.relname, pg_relation_size(c.oid)::float8 AS bytes FROM pg_class c
    JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE s.nspname = 'capstan' AND c.relkind IN ('r', 'i') AND (c.relname LIKE 'sessions%' OR c.relname LIKE 'entries%') ORDER BY c.relname`;
  return new Map(rows.map(({ relname, bytes }) => [relname as string, bytes as number]));
}

function toMB(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

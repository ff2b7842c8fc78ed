/** The drivers alone: the same rows in the same tables by the same statements, and nothing else. For B8 and B10. */
import { DatabaseSync } from "node:sqlite";
import type { Claim } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import driver from "postgres";
import { compactedId, longId } from "../stored-sessions.ts";
import type { DurableLog, DurableReads, Subject } from "../subject.ts";

export const subject: Subject = {
  name: "driver",
  goals: {},
  durable: { sqlite: inSqlite, postgres: inPostgres },
  durableReads: { sqlite: readsOfSqlite, postgres: readsOfPostgres },
};

const head = { status: "running", agent: "helper", seen: 0, updatedAt: 0 } as const;

async function inSqlite(path: string, sessions: number): Promise<DurableLog> {
  const store = sqlite(path);
  const epochs: number[] = [];
  for (let session = 0; session < sessions; session += 1) {
    await store.create(`s${session}`, [], head);
    const claim = (await store.acquire(`s${session}`, "bench", 3_600_000)) as Claim;
    epochs.push(claim.lease.epoch);
  }
  await store.close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const update = database.prepare(
    `UPDATE sessions SET last_seq = last_seq + ? WHERE id = ? AND epoch = ? AND expires_at > ?
     AND last_seq = coalesce(?, last_seq) RETURNING n, last_seq`,
  );
  const insert = database.prepare(
    "INSERT INTO entries (place, session, id, body) VALUES ((? << 32) | ?, ?, ?, ?)",
  );
  return {
    append(session, entry) {
      begin.run();
      const row = update.get(1, `s${session}`, epochs[session] ?? 0, Date.now(), null);
      const { n, last_seq: seq } = row as { readonly n: number; readonly last_seq: number };
      insert.run(n, seq, n, entry.id, JSON.stringify(entry));
      commit.run();
      return seq;
    },
  };
}

async function inPostgres(url: string, sessions: number): Promise<DurableLog> {
  const schema = `b8_${process.pid}`;
  const store = postgres(url, { schema });
  const epochs: number[] = [];
  for (let session = 0; session < sessions; session += 1) {
    await store.create(`s${session}`, [], head);
    const claim = (await store.acquire(`s${session}`, "bench", 3_600_000)) as Claim;
    epochs.push(claim.lease.epoch);
  }
  await store.close();
  const sql = driver(url, { max: 10, onnotice: () => {} });
  const statement = `WITH s AS (
      UPDATE ${schema}.sessions SET last_seq = last_seq + cardinality($4::text[])
      WHERE id = $1 AND epoch = $2::bigint AND expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::float8
      AND ($3::int IS NULL OR last_seq = $3::int) RETURNING n, last_seq
    ), e AS (
      INSERT INTO ${schema}.entries (session, seq, id, body)
      SELECT s.n, s.last_seq - cardinality($4::text[]) + e.place, e.id, e.body
      FROM s, unnest($4::text[], $5::text[]) WITH ORDINALITY AS e (id, body, place)
    ) SELECT last_seq FROM s`;
  return {
    async append(session, entry) {
      const values = [
        `s${session}`,
        epochs[session] ?? 0,
        null,
        [entry.id],
        [JSON.stringify(entry)],
      ];
      const [row] = await sql.unsafe(statement, values, { prepare: true });
      return row?.["last_seq"] as number;
    },
  };
}

async function readsOfSqlite(path: string): Promise<DurableReads> {
  const database = new DatabaseSync(path);
  const log = database.prepare(
    `SELECT e.body FROM sessions s JOIN entries e ON e.place > (s.n << 32) AND e.place < ((s.n + 1) << 32)
     WHERE s.id = ? ORDER BY e.place`,
  );
  const heads = database.prepare(
    "SELECT id, head, last_seq FROM sessions ORDER BY updated_at DESC",
  );
  return {
    openLong: () => countMessages(log.all(longId)),
    openCompacted: () => countMessages(log.all(compactedId)),
    openContext: () => countMessages(log.all(compactedId)),
    listAll: () => heads.all().map((row) => parse(row["head"])).length,
  };
}

async function readsOfPostgres(url: string): Promise<DurableReads> {
  const sql = driver(url, { max: 1, onnotice: () => {} });
  const log = `SELECT e.body FROM capstan.sessions s JOIN capstan.entries e ON e.session = s.n
    WHERE s.id = $1 ORDER BY e.seq`;
  const heads = "SELECT id, head, last_seq FROM capstan.sessions ORDER BY updated_at DESC";
  const open = async (id: string): Promise<number> =>
    countMessages(await sql.unsafe(log, [id], { prepare: true }));
  return {
    openLong: () => open(longId),
    openCompacted: () => open(compactedId),
    openContext: () => open(compactedId),
    async listAll() {
      const rows = await sql.unsafe(heads, [], { prepare: true });
      return rows.map((row) => parse(row["head"])).length;
    },
  };
}

function countMessages(rows: readonly Record<string, unknown>[]): number {
  const entries = rows.map(({ body }) => parse(body));
  return entries.filter(({ type }) => type === "message" || type === "tool_result").length;
}

function parse(text: unknown): { readonly type?: string } {
  return JSON.parse(text as string) as { readonly type?: string };
}

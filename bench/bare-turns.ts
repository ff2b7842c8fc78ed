/** The drivers alone: they store what turns store, each write in one transaction, and do nothing else. For `capacity`. */
import { DatabaseSync } from "node:sqlite";
import type { MaybePromise, SessionRepository } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import driver from "postgres";
import type { DurableKind } from "./subject.ts";
import type { TurnWrite } from "./turn-writes.ts";

/** Performs the write of this index for the session of this number. */
export type StoreWrite = (session: number, write: number) => MaybePromise<void>;

/** Likewise, in a transaction that is open. */
type PlainWrite = (session: number, write: number) => void;

type Value = string | number | null;

/** A write whose bytes are ready. */
interface ReadyWrite {
  readonly entryIds: readonly string[];
  readonly bodies: readonly string[];
  /** How the row of the session changes, with `?` for each value. */
  readonly changes: string;
  readonly values: readonly Value[];
  /** What the epoch of the session grows by. */
  readonly epochs: 0 | 1;
}

const ttlMs = 3_600_000;
/** As large as others are. */
const checksum = 0xff_ff_ff_ff;

/** Creates so many sessions at the path or URL, with ids that begin with `prefix`. */
export async function openBareTurns(
  kind: DurableKind,
  where: string,
  prefix: string,
  sessions: number,
  writes: readonly TurnWrite[],
  isJoining: boolean,
): Promise<StoreWrite> {
  const ids = Array.from({ length: sessions }, (_, i) => `${prefix}-${i}`);
  await using store = kind === "sqlite" ? sqlite(where) : postgres(where);
  await createSessions(store, ids);
  const ready = writes.map(toReady);
  return kind === "sqlite" ? inSqlite(where, ids, ready, isJoining) : inPostgres(where, ids, ready);
}

async function createSessions(store: SessionRepository, ids: readonly string[]): Promise<void> {
  const head = { status: "completed", agent: "worker", seen: 0, updatedAt: 0 } as const;
  for (const id of ids) await store.create(id, [], head);
}

function toReady({ entries, head, lease }: TurnWrite): ReadyWrite {
  const now = Date.now();
  const changes = ["last_seq = last_seq + ?"];
  const values: Value[] = [entries.length];
  const change = (text: string, ...given: Value[]): void => {
    changes.push(text);
    values.push(...given);
  };
  if (head !== undefined) {
    const { status, agent, seen, updatedAt } = head;
    const columns = [JSON.stringify(head), status, agent, seen, updatedAt];
    change("head = ?, status = ?, agent = ?, seen = ?, updated_at = ?", ...columns);
  }
  const [posted, given] = ["last_posted = last_seq + 1", "owner = ?, expires_at = ?"];
  if (lease === "taken") change(`${posted}, epoch = epoch + 1, ${given}`, "bare", now + ttlMs);
  if (lease === "released") change(given, null, null);
  if (lease !== undefined) change("last_owned = ?", now);
  return {
    entryIds: entries.map(({ id }) => id),
    bodies: entries.map((entry) => JSON.stringify(entry)),
    changes: changes.join(", "),
    values,
    epochs: lease === "taken" ? 1 : 0,
  };
}

function inSqlite(
  path: string,
  ids: readonly string[],
  writes: readonly ReadyWrite[],
  isJoining: boolean,
): StoreWrite {
  const database = new DatabaseSync(path);
  // As the store sets them.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA wal_autocheckpoint = 4000");
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(
    "INSERT INTO entries (place, session, id, body, checksum) VALUES ((? << 32) | ?, ?, ?, ?, ?)",
  );
  const updates = writes.map(({ changes }) =>
    database.prepare(
      `UPDATE sessions SET ${changes} WHERE id = ? AND epoch = ? RETURNING n, last_seq`,
    ),
  );
  const epochs = ids.map(() => 0);
  const write: PlainWrite = (session, index) => {
    // In range.
    const { entryIds, bodies, values, epochs: more } = writes[index] as ReadyWrite;
    const row = updates[index]?.get(...values, ids[session] ?? "", epochs[session] ?? 0);
    const { n, last_seq: lastSeq } = row as { readonly n: number; readonly last_seq: number };
    epochs[session] = (epochs[session] ?? 0) + more;
    let seq = lastSeq - bodies.length;
    for (const [i, body] of bodies.entries()) {
      seq += 1;
      insert.run(n, seq, n, `${entryIds[i]}-${seq}`, body, checksum);
    }
  };
  const commitAll = (writeAll: () => void): void => {
    begin.run();
    writeAll();
    commit.run();
  };
  if (isJoining) return joining(write, commitAll);
  return (session, index) => commitAll(() => write(session, index));
}

/** Puts the writes of all sessions that are asked for at the same moment into one transaction. */
function joining(write: PlainWrite, commitAll: (writeAll: () => void) => void): StoreWrite {
  let asked: (() => void)[] = [];
  let joined: Promise<void> | undefined;
  const join = async (): Promise<void> => {
    await new Promise(setImmediate);
    const writeAll = asked;
    asked = [];
    joined = undefined;
    commitAll(() => {
      for (const each of writeAll) each();
    });
  };
  return (session, index) => {
    asked.push(() => write(session, index));
    return (joined ??= join());
  };
}

function inPostgres(
  url: string,
  ids: readonly string[],
  writes: readonly ReadyWrite[],
): StoreWrite {
  const sql = driver(url, { max: 10, onnotice: () => {} });
  const statements = writes.map(({ changes }) => {
    let count = 4;
    const numbered = changes.replaceAll("?", () => `$${(count += 1)}`);
    return `WITH s AS (
        UPDATE capstan.sessions SET ${numbered} WHERE id = $1 AND epoch = $2::bigint RETURNING n, last_seq
      ), e AS (
        INSERT INTO capstan.entries (session, seq, id, body)
        SELECT s.n, s.last_seq - cardinality($3::text[]) + e.place, e.id, e.body
        FROM s, unnest($3::text[], $4::text[]) WITH ORDINALITY AS e (id, body, place)
      ) SELECT last_seq FROM s`;
  });
  const epochs = ids.map(() => 0);
  let next = 0;
  return async (session, index) => {
    // In range.
    const { entryIds, bodies, values, epochs: more } = writes[index] as ReadyWrite;
    const [id, epoch] = [ids[session] ?? "", epochs[session] ?? 0];
    const own = entryIds.map((each) => `${each}-${(next += 1)}`);
    const given = [id, epoch, own, [...bodies], ...values];
    const [row] = await sql.unsafe(statements[index] ?? "", given, { prepare: true });
    if (row === undefined) throw new Error(`A write of ${id} changed nothing`);
    epochs[session] = epoch + more;
  };
}

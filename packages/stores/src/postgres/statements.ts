/** SQL statements. Every write is a single statement: atomic, in one round trip. */
import { headColumns } from "../rows/head-columns.ts";

/** The store's clock, in milliseconds: the database's, the same for every process. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/** Clock that is read once for a statement: an index can be entered by it. */
const nowOnce = `(SELECT ${now})`;

/** Entries from two arrays: ids and bodies. */
const entryList = (ids: string, bodies: string): string =>
  `unnest(${ids}::text[], ${bodies}::text[]) WITH ORDINALITY AS e (id, body, place)`;

/** Whether a write is meant for this session: true if the write names no incarnation, or the session has none. */
const isMeant = (incarnation: string): string =>
  `coalesce(incarnation = ${incarnation}::text, true)`;

export interface Statements {
  readonly create: string;
  readonly append: string;
  readonly appendAll: string;
  readonly appendWithHead: string;
  readonly appendAndRelease: string;
  readonly post: string;
  readonly postAndClaim: string;
  readonly postAndStart: string;
  readonly seqOf: string;
  readonly find: string;
  readonly read: string;
  readonly readFromCheckpoint: string;
  readonly list: (where: string, limit: string) => string;
  readonly lock: string;
  readonly deletions: readonly string[];
  readonly acquire: string;
  readonly renew: string;
  readonly release: string;
  readonly claimDue: string;
  readonly nextDue: string;
  readonly lockOwner: string;
  readonly addOwner: string;
  readonly missingOwners: string;
  readonly endLeases: string;
  readonly putBlob: string;
  readonly getBlob: string;
  readonly epochs: string;
  readonly notify: string;
  readonly storeNotes: string;
  readonly forgetNotes: string;
  readonly fetchNotes: string;
  readonly lastNote: string;
  readonly notesAfter: string;
  readonly seqs: string;
}

export function statementsOf(schema: string): Statements {
  const tables = ["sessions", "entries", "blobs", "notes", "owners"];
  const [sessions, entries, blobs, notes, owners] = tables.map((table) => `${schema}.${table}`);
  const valid = `id = $1 AND epoch = $2::bigint AND expires_at > ${now}`;
  const given = `epoch = greatest(epoch + 1, nextval('${schema}.epochs')), owner = $2, expires_at = ${now} + $3, last_owned = ${now}`;
  const isGone = "pg_try_advisory_xact_lock_shared(guard)";
  const claimed = "id, epoch::float8 AS epoch, last_seq, head";
  const released = `owner = NULL, guard = NULL, expires_at = NULL, last_owned = ${now}`;
  const head = `, (${headColumns}) = ($6, $7, $8, $9, $10, $11, $12, $13)`;
  // The conditions and values see the row as it was before the update, and all of them the same time.
  const clock = `FROM (SELECT ${now} AS now) clock`;
  const isFree = `(expires_at IS NULL OR expires_at <= clock.now OR owner = $5)`;
  const givenIfFree = `,
           epoch = CASE WHEN ${isFree} THEN greatest(epoch + 1, nextval('${schema}.epochs')) ELSE epoch END,
           owner = CASE WHEN ${isFree} THEN $5 ELSE owner END,
           guard = CASE WHEN ${isFree} THEN $7::bigint ELSE guard END,
           expires_at = CASE WHEN ${isFree} THEN clock.now + $6 ELSE expires_at END,
           last_owned = CASE WHEN ${isFree} THEN clock.now ELSE last_owned END`;
  const post = (count: string, changes: string): string =>
    `WITH s AS (
         UPDATE ${sessions} SET last_seq = last_seq + ${count}, last_posted = last_seq + 1${changes} ${clock}
         WHERE id = $1 AND ${isMeant("$4")} AND NOT EXISTS (SELECT FROM ${entries} e WHERE e.session = n AND e.id = $2)
         RETURNING n, last_seq, last_posted, id, epoch, head, owner
       ), e AS (
         INSERT INTO ${entries} (session, seq, id, body) SELECT n, last_posted, $2, $3 FROM s
       ) `;
  const isStart = `(${isFree} AND last_seq = $10::int AND set_aside = 0)`;
  const startedIfFree = headColumns
    .split(", ")
    .map((column, i) => `${column} = CASE WHEN ${isStart} THEN $${11 + i} ELSE ${column} END`)
    .join(", ");
  const appendTo = (head: string): string =>
    `WITH s AS (
       UPDATE ${sessions} SET last_seq = last_seq + cardinality($4::text[])${head}
       WHERE ${valid} AND ($3::int IS NULL OR last_seq = $3::int) RETURNING n, last_seq
     ), e AS (
       INSERT INTO ${entries} (session, seq, id, body)
       SELECT s.n, s.last_seq - cardinality($4::text[]) + e.place, e.id, e.body FROM s, ${entryList("$4", "$5")}
     ) SELECT last_seq FROM s`;
  const readWhere = (place: string, count: string): string =>
    `SELECT s.last_seq, s.incarnation, e.seq, e.body FROM ${sessions} s LEFT JOIN LATERAL (
         SELECT seq, body FROM ${entries} WHERE session = s.n AND ${place} ORDER BY seq LIMIT ${count}
       ) e ON true WHERE s.id = $1 ORDER BY e.seq`;
  // Not as JSON: PostgreSQL cannot read all characters that a title may have. Inside of a text of the head, each quote is escaped.
  const checkpoint = `coalesce(substring(s.head FROM '"checkpoint":([0-9]+)')::bigint, 0)`;
  return {
    create: `WITH s AS (
         INSERT INTO ${sessions} (id, last_seq, incarnation, ${headColumns})
         VALUES ($1, cardinality($2::text[]), $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING n
       )
       INSERT INTO ${entries} (session, seq, id, body)
       SELECT s.n, e.place, e.id, e.body FROM s, ${entryList("$2", "$3")}`,
    append: appendTo(""),
    // Columns that keep their value do not keep the update from being a HOT one.
    appendAll: `WITH s AS (
         UPDATE ${sessions} t SET last_seq = last_seq + g.count,
           head = coalesce(g.head, t.head), status = coalesce(g.status, t.status), agent = coalesce(g.agent, t.agent),
           principal = CASE WHEN g.head IS NULL THEN t.principal ELSE g.principal END,
           seen = coalesce(g.seen, t.seen), updated_at = coalesce(g.updated_at, t.updated_at),
           wake_at = CASE WHEN g.head IS NULL THEN t.wake_at ELSE g.wake_at END,
           set_aside = coalesce(g.set_aside, t.set_aside),
           owner = CASE WHEN g.releases THEN NULL ELSE t.owner END,
           guard = CASE WHEN g.releases THEN NULL ELSE t.guard END,
           expires_at = CASE WHEN g.releases THEN NULL ELSE t.expires_at END,
           last_owned = CASE WHEN g.releases THEN ${now} ELSE t.last_owned END
         FROM unnest($1::text[], $2::bigint[], $3::int[], $8::int[], $9::boolean[], $10::text[], $11::text[], $12::text[],
             $13::text[], $14::int[], $15::float8[], $16::float8[], $17::int[])
           AS g (id, epoch, count, only_if, releases, ${headColumns})
         WHERE t.id = g.id AND t.epoch = g.epoch AND t.expires_at > ${now} AND (g.only_if IS NULL OR t.last_seq = g.only_if)
         RETURNING t.n, t.id, t.last_seq, g.count
       ), e AS (
         INSERT INTO ${entries} (session, seq, id, body)
         SELECT s.n, s.last_seq - s.count + e.place, e.id, e.body
         FROM unnest($4::text[], $5::int[], $6::text[], $7::text[]) AS e (session, place, id, body) JOIN s ON s.id = e.session
       ) SELECT id, last_seq FROM s`,
    appendWithHead: appendTo(head),
    appendAndRelease: appendTo(`${head}, ${released}`),
    post: `${post("1", "")}SELECT last_posted FROM s`,
    postAndClaim: `${post("1", givenIfFree)}SELECT last_posted, ${claimed}, owner = $5 AS is_claimed FROM s`,
    postAndStart: `${post(`CASE WHEN ${isStart} THEN 1 + cardinality($8::text[]) ELSE 1 END`, `${givenIfFree}, ${startedIfFree}`)}, started AS (
         INSERT INTO ${entries} (session, seq, id, body)
         SELECT n, last_posted + e.place, e.id, e.body FROM s, ${entryList("$8", "$9")} WHERE last_seq > last_posted
       ) SELECT last_posted, ${claimed}, owner = $5 AS is_claimed FROM s`,
    seqOf: `SELECT e.seq FROM ${sessions} s JOIN ${entries} e ON e.session = s.n AND e.id = $2
       WHERE s.id = $1 AND ${isMeant("$3")}`,
    find: `SELECT last_seq, epoch::float8 AS epoch, expires_at > ${now} AS is_held FROM ${sessions} WHERE id = $1`,
    read: readWhere("seq > $2", "$3"),
    readFromCheckpoint: readWhere(`seq >= ${checkpoint}`, "$2"),
    list: (where, limit) =>
      `SELECT id, head, last_seq FROM ${sessions} ${where} ORDER BY updated_at DESC, id DESC LIMIT ${limit}`,
    lock: `SELECT n FROM ${sessions} WHERE id = $1 FOR UPDATE`,
    deletions: [
      `DELETE FROM ${entries} WHERE session = $1`,
      `DELETE FROM ${blobs} WHERE session = $1`,
      `DELETE FROM ${sessions} WHERE n = $1`,
    ],
    acquire: `UPDATE ${sessions} SET ${given}, guard = $4::bigint
       WHERE id = $1 AND (expires_at IS NULL OR expires_at <= ${now} OR owner = $2) RETURNING ${claimed}`,
    // Also renews an expired lease, as long as it is the last one and was not released.
    renew: `UPDATE ${sessions} SET expires_at = ${now} + $3, guard = $4::bigint
       WHERE id = $1 AND epoch = $2::bigint AND expires_at IS NOT NULL RETURNING n`,
    release: `UPDATE ${sessions} SET ${released} WHERE ${valid} RETURNING last_seq`,
    // An array, not a set: whatever the number of rows may be, each is found by its key.
    claimDue: `UPDATE ${sessions} SET ${given}, guard = $5::bigint WHERE n = ANY (ARRAY(
         SELECT n FROM ${sessions} WHERE due_at <= ${nowOnce} AND agent = ANY ($1::text[])
         ORDER BY last_owned, n LIMIT $4 FOR UPDATE SKIP LOCKED
       )) RETURNING ${claimed}`,
    nextDue: `SELECT min(due_at) - ${now} AS ms FROM ${sessions} WHERE due_at > ${nowOnce} AND agent = ANY ($1::text[])`,
    lockOwner: "SELECT pg_try_advisory_lock($1::bigint) AS is_locked",
    addOwner: `INSERT INTO ${owners} (guard) VALUES ($1::bigint) ON CONFLICT DO NOTHING`,
    // Shared locks, until the end of the statement: those who look do not take each other for owners.
    missingOwners: `SELECT guard::text AS guard FROM ${owners} WHERE guard <> $1::bigint AND ${isGone}`,
    endLeases: `WITH gone AS MATERIALIZED (
         SELECT guard FROM ${owners} WHERE guard = ANY ($1::bigint[]) AND ${isGone}
       ), forgotten AS (
         DELETE FROM ${owners} USING gone WHERE ${owners}.guard = gone.guard
       )
       UPDATE ${sessions} SET expires_at = ${now} WHERE n = ANY (ARRAY(
         SELECT n FROM ${sessions} WHERE due_at > ${nowOnce} AND guard = ANY (ARRAY(SELECT guard FROM gone))
         FOR UPDATE SKIP LOCKED
       )) RETURNING n`,
    // The lock prevents deletion of the session in the meantime.
    putBlob: `WITH s AS (SELECT n FROM ${sessions} WHERE id = $1 AND ${isMeant("$4")} FOR KEY SHARE), b AS (
         INSERT INTO ${blobs} (session, ref, bytes) SELECT n, $2, $3::bytea FROM s ON CONFLICT DO NOTHING
       ) SELECT n FROM s`,
    getBlob: `SELECT substring(b.bytes FROM $3::int + 1 FOR $4::int) AS bytes
       FROM ${sessions} s JOIN ${blobs} b ON b.session = s.n AND b.ref = $2 WHERE s.id = $1`,
    epochs: `SELECT id, epoch::float8 AS epoch FROM ${sessions} WHERE id = ANY ($1::text[])`,
    notify: "SELECT pg_notify($1, $2)",
    storeNotes: `INSERT INTO ${notes} (notes, sender) VALUES ($1, $2) RETURNING n::float8 AS n`,
    forgetNotes: `DELETE FROM ${notes} WHERE sent_at < now() - interval '1 minute'`,
    fetchNotes: `SELECT notes FROM ${notes} WHERE n = $1::bigint`,
    lastNote: `SELECT coalesce(max(n), 0)::float8 AS n FROM ${notes}`,
    notesAfter: `SELECT n::float8 AS n, notes, sender FROM ${notes} WHERE ${notes}.n > $1::bigint ORDER BY ${notes}.n LIMIT 1000`,
    seqs: `SELECT id, last_seq, incarnation FROM ${sessions} WHERE id = ANY ($1::text[])`,
  };
}

/** Leases of sessions. */
import type { Claim, DueQuery, Lease } from "@capstan/log";
import { leaseOver, sessionNotFound } from "@capstan/log";
import { parseHead } from "../rows/head-columns.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { Database, Statement } from "./database.ts";
import type { Fate } from "../watch/process-identity.ts";

interface ClaimRow {
  readonly id: string;
  readonly epoch: number;
  readonly last_seq: number;
  readonly head: string;
}

interface HeldRow {
  readonly epoch: number;
  readonly expires_at: number | null;
  readonly identity: string | null;
}

interface ProcessRow {
  readonly n: number;
  readonly identity: string;
}

/** Changes of a row whose lease is given to `holder`. */
export const givenTo = (holder: string): string =>
  `epoch = epoch + 1, owner = ?, expires_at = ?, holder = ${holder}, last_owned = ?`;
const given = givenTo("?");
/** Whether the lease may be given to an owner. */
export const isFree = "(coalesce(expires_at, 0) <= ? OR owner = ?)";
const claimed = "id, epoch, last_seq, head";
const none = "owner = NULL, expires_at = NULL, holder = NULL";
/** Changes of a row whose lease is released. */
export const released: string = `${none}, last_owned = ?`;

/** Knowledge about processes that hold leases. */
export interface Holders {
  /** Identity of this process. */
  ownIdentity(): string;
  fateOf(identity: string): Fate;
}

/** Call every method but `hasDue` within a transaction. */
export class LeaseRows {
  readonly #holders: Holders;
  readonly #acquire: Statement;
  readonly #claim: Statement;
  readonly #held: Statement;
  readonly #renew: Statement;
  readonly #release: Statement;
  readonly #due: Statement;
  readonly #isDue: Statement;
  readonly #processes: Statement;
  readonly #findProcess: Statement;
  readonly #addProcess: Statement;
  readonly #freeHeld: Statement;
  readonly #removeProcess: Statement;

  constructor(database: Database, holders: Holders) {
    this.#holders = holders;
    const valid = "id = ? AND epoch = ? AND expires_at > ?";
    this.#acquire = database.prepare(
      `UPDATE sessions SET ${given} WHERE id = ? AND ${isFree} RETURNING ${claimed}`,
    );
    this.#claim = database.prepare(`UPDATE sessions SET ${given} WHERE n = ? RETURNING ${claimed}`);
    this.#held = database.prepare(
      `SELECT s.epoch, s.expires_at, p.identity FROM sessions s LEFT JOIN processes p ON p.n = s.holder
       WHERE s.id = ?`,
    );
    // Also renews an expired lease, as long as it is the last one and was not released.
    this.#renew = database.prepare(
      `UPDATE sessions SET expires_at = ? WHERE id = ? AND epoch = ? AND expires_at IS NOT NULL RETURNING n`,
    );
    this.#release = database.prepare(
      `UPDATE sessions SET ${released} WHERE ${valid} RETURNING last_seq`,
    );
    const due = "FROM sessions WHERE due_at <= ? AND agent IN (SELECT value FROM json_each(?))";
    this.#due = database.prepare(`SELECT n ${due} ORDER BY last_owned, n LIMIT ?`);
    this.#isDue = database.prepare(`SELECT 1 ${due} LIMIT 1`);
    this.#processes = database.prepare("SELECT n, identity FROM processes");
    this.#findProcess = database.prepare("SELECT n FROM processes WHERE identity = ?");
    this.#addProcess = database.prepare("INSERT INTO processes (identity) VALUES (?) RETURNING n");
    this.#freeHeld = database.prepare(`UPDATE sessions SET ${none} WHERE holder = ?`);
    this.#removeProcess = database.prepare("DELETE FROM processes WHERE n = ?");
  }

  /** Identity of this process. */
  ownIdentity(): string {
    return this.#holders.ownIdentity();
  }

  acquire(id: string, owner: string, ttlMs: number, now: number): Claim | undefined {
    const [plainId, plainOwner] = [toPlainText(id), toPlainText(owner)];
    const terms = [plainOwner, now + ttlMs, this.#ownNumber(), now] as const;
    const give = (): Record<string, unknown> | undefined =>
      this.#acquire.get(...terms, plainId, now, plainOwner);
    const row = give();
    if (row !== undefined) return toClaim(row, owner);
    const { identity } = this.#find(id);
    if (identity === null || this.#holders.fateOf(identity) !== "dead") return undefined;
    this.#freeDead();
    const freed = give();
    return freed && toClaim(freed, owner);
  }

  renew(lease: Lease, ttlMs: number, now: number): void {
    const { sessionId, epoch } = lease;
    const row = this.#renew.get(now + ttlMs, toPlainText(sessionId), epoch);
    if (row === undefined) throw this.#over(lease);
  }

  /** Returns the last seq. */
  release(lease: Lease, now: number): number {
    const row = this.#release.get(now, toPlainText(lease.sessionId), lease.epoch, now);
    if (row === undefined) throw this.#over(lease);
    return row["last_seq"] as number;
  }

  /** True if claiming is worth a transaction: usually nothing is due. */
  hasDue(query: DueQuery, now: number): boolean {
    return this.#isDue.get(now, namesOf(query)) !== undefined || this.#dead().length > 0;
  }

  claimDue(query: DueQuery, now: number): Claim[] {
    const { owner, ttlMs } = query;
    this.#freeDead();
    return this.#dueNumbers(query, now).map((n) => {
      const row = this.#claim.get(toPlainText(owner), now + ttlMs, this.#ownNumber(), now, n);
      // It was found in this transaction.
      return toClaim(row as Record<string, unknown>, owner);
    });
  }

  /** Dead processes that may hold leases. */
  #dead(): ProcessRow[] {
    const rows = this.#processes.all() as unknown as ProcessRow[];
    return rows.filter(({ identity }) => this.#holders.fateOf(identity) === "dead");
  }

  /** Ends the leases of dead processes early. */
  #freeDead(): void {
    for (const { n } of this.#dead()) {
      this.#freeHeld.run(n);
      this.#removeProcess.run(n);
    }
  }

  #dueNumbers(query: DueQuery, now: number): number[] {
    const { limit = 10 } = query;
    return this.#due.all(now, namesOf(query), limit).map((row) => row["n"] as number);
  }

  /** Row number of this process. */
  #ownNumber(): number {
    const identity = this.#holders.ownIdentity();
    const row = this.#findProcess.get(identity) ?? this.#addProcess.get(identity);
    return row?.["n"] as number;
  }

  #find(id: string): HeldRow {
    const row = this.#held.get(toPlainText(id));
    if (row === undefined) throw sessionNotFound(id);
    // The selected columns.
    return row as unknown as HeldRow;
  }

  #over(lease: Lease): Error {
    return leaseOver(lease.sessionId, lease, this.#find(lease.sessionId).epoch);
  }
}

function namesOf({ agents }: DueQuery): string {
  return JSON.stringify(agents.map(toPlainText));
}

function toClaim(columns: Record<string, unknown>, owner: string): Claim {
  const { id, epoch, last_seq: lastSeq, head } = columns as unknown as ClaimRow;
  const lease = { sessionId: fromPlainText(id), owner, epoch };
  return { lease, lastSeq, head: parseHead(head) };
}

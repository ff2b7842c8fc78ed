/** Leases of sessions, by the database's clock. */
import type { Claim, DueQuery, Lease } from "@capstan/log";
import { leaseOver, sessionNotFound } from "@capstan/log";
import { parseHead } from "../rows/head-columns.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { Database } from "./database.ts";
import { DeadOwners } from "./dead-owners.ts";
import type { Presence } from "./presence.ts";
import type { Statements } from "./statements.ts";

export interface ClaimRow {
  readonly id: string;
  readonly epoch: number;
  readonly last_seq: number;
  readonly head: string;
}

export class LeaseQueries {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #presence: Presence;
  readonly #deadOwners: DeadOwners;

  constructor(database: Database, statements: Statements, presence: Presence) {
    this.#database = database;
    this.#statements = statements;
    this.#presence = presence;
    this.#deadOwners = new DeadOwners(database, statements, presence.key);
  }

  async acquire(id: string, owner: string, ttlMs: number): Promise<Claim | undefined> {
    const claim = await this.#acquire(id, owner, ttlMs);
    if (claim !== undefined) return claim;
    // Another owner holds it, if the session exists.
    await this.#lastEpochOf(id);
    return (await this.#deadOwners.endLeases()) ? this.#acquire(id, owner, ttlMs) : undefined;
  }

  async #acquire(id: string, owner: string, ttlMs: number): Promise<Claim | undefined> {
    const shown = this.#presence.show();
    if (shown !== undefined) await shown;
    const values = [toPlainText(id), toPlainText(owner), ttlMs, this.#presence.guard];
    const rows = (await this.#database.query(this.#statements.acquire, values)) as ClaimRow[];
    return rows[0] && toClaim(rows[0], owner);
  }

  async renew(lease: Lease, ttlMs: number): Promise<void> {
    const values = [...keyOf(lease), ttlMs, this.#presence.guard];
    const rows = await this.#database.query(this.#statements.renew, values);
    if (rows.length === 0) throw await this.#over(lease);
  }

  async release(lease: Lease): Promise<{ readonly lastSeq: number }> {
    const [row] = await this.#database.query(this.#statements.release, keyOf(lease));
    if (row === undefined) throw await this.#over(lease);
    return { lastSeq: row["last_seq"] as number };
  }

  async claimDue({ agents, owner, ttlMs, limit = 10 }: DueQuery): Promise<Claim[]> {
    const shown = this.#presence.show();
    if (shown !== undefined) await shown;
    await this.#deadOwners.endLeases();
    const { guard } = this.#presence;
    const values = [agents.map(toPlainText), toPlainText(owner), ttlMs, limit, guard];
    const rows = (await this.#database.query(this.#statements.claimDue, values)) as ClaimRow[];
    return rows.map((row) => toClaim(row, owner));
  }

  async nextDueInMs(agents: readonly string[]): Promise<number | undefined> {
    const [row] = await this.#database.query(this.#statements.nextDue, [agents.map(toPlainText)]);
    const ms = (row?.["ms"] as number | null | undefined) ?? Infinity;
    const next = Math.min(ms, this.#deadOwners.nextInMs() ?? Infinity);
    return next === Infinity ? undefined : next;
  }

  async #over(lease: Lease): Promise<Error> {
    return leaseOver(lease.sessionId, lease, await this.#lastEpochOf(lease.sessionId));
  }

  async #lastEpochOf(id: string): Promise<number> {
    const [row] = await this.#database.query(this.#statements.find, [toPlainText(id)]);
    if (row === undefined) throw sessionNotFound(id);
    return row["epoch"] as number;
  }
}

function keyOf({ sessionId, epoch }: Lease): [string, number] {
  return [toPlainText(sessionId), epoch];
}

export function toClaim({ id, epoch, last_seq: lastSeq, head }: ClaimRow, owner: string): Claim {
  const lease = { sessionId: fromPlainText(id), owner, epoch };
  return { lease, lastSeq, head: parseHead(head) };
}

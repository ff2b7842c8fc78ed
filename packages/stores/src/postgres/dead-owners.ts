/** Ends the leases of processes whose connection has ended, before their time is over. */
import type { Database } from "./database.ts";
import { isForbidden } from "./postgres-failure.ts";
import type { Statements } from "./statements.ts";

/** A process that only lost its connection, as when the server restarts, has this time to show itself again. */
const graceMs = 2_000;

/** Minimum time between two looks. */
const lookMs = 500;

export class DeadOwners {
  readonly #database: Database;
  readonly #statements: Statements;
  /** Key of this process. */
  readonly #own: string;
  /** When each process was first found missing, by key. */
  #missing = new Map<string, number>();
  #lookedAt = -Infinity;
  #isAllowed = true;

  constructor(database: Database, statements: Statements, own: string) {
    this.#database = database;
    this.#statements = statements;
    this.#own = own;
  }

  /** Returns whether leases have ended, so that their sessions are free. */
  async endLeases(): Promise<boolean> {
    const now = performance.now();
    if (!this.#isAllowed || now - this.#lookedAt < lookMs) return false;
    this.#lookedAt = now;
    try {
      const gone = await this.#findGone(now);
      if (gone.length === 0) return false;
      const ended = await this.#database.query(this.#statements.endLeases, [gone]);
      for (const key of gone) this.#missing.delete(key);
      return ended.length > 0;
    } catch (thrown) {
      if (!isForbidden(thrown)) throw thrown;
      // Without the right to use the table, leases alone count.
      this.#isAllowed = false;
      return false;
    }
  }

  /** Milliseconds until a missing process counts as dead. Undefined if none is missing. */
  nextInMs(): number | undefined {
    if (this.#missing.size === 0) return undefined;
    const until = Math.min(...this.#missing.values()) + graceMs;
    return Math.max(until, this.#lookedAt + lookMs) - performance.now();
  }

  /** Keys of processes that have been missing for the whole grace period. */
  async #findGone(now: number): Promise<string[]> {
    const rows = await this.#database.query(this.#statements.missingOwners, [this.#own]);
    const keys = rows.map((row) => row["guard"] as string);
    this.#missing = new Map(keys.map((key) => [key, this.#missing.get(key) ?? now]));
    return keys.filter((key) => now - (this.#missing.get(key) ?? now) >= graceMs);
  }
}

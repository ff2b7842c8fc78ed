/**
 * Shows other processes that this one is alive, by an advisory lock: the server releases it as soon as the connection ends, as that of a
 * killed process does. Through a pooler by transaction, connections say nothing about processes: there is no lock, and only leases count.
 */
import { randomBytes } from "node:crypto";
import type { Database } from "./database.ts";
import { isForbidden } from "./postgres-failure.ts";
import type { Statements } from "./statements.ts";

/** How soon a lost lock is asked for again. Much shorter than the grace of `DeadOwners`. */
const retryMs = 250;

export class Presence {
  /** Key of the lock. */
  readonly key: string = randomBytes(8).readBigInt64BE().toString();
  readonly #database: Database;
  readonly #statements: Statements;
  #isShown = false;
  /** The first attempt to take the lock. */
  #first: Promise<void> | undefined;
  #isTried = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** Key for a lease that ends early if this process dies. Null while there is no lock. */
  get guard(): string | null {
    return this.#isShown ? this.key : null;
  }

  /**
   * Takes the lock, before a lease is asked for. Undefined if that was tried before: then the lease does not wait. Never rejects.
   */
  show(): Promise<void> | undefined {
    if (this.#isTried) return undefined;
    this.#first ??= this.#show()
      .catch((thrown: unknown) => this.#onFailed(thrown))
      .then(() => {
        this.#isTried = true;
      });
    return this.#first;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #showLater(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#show().catch((thrown: unknown) => this.#onFailed(thrown));
    }, ms).unref();
  }

  /** Without the right to use the table, leases alone count. Calls that need the database report that it is away. */
  #onFailed(thrown: unknown): void {
    if (!isForbidden(thrown)) this.#showLater(retryMs);
  }

  async #show(): Promise<void> {
    const { lockOwner, addOwner } = this.#statements;
    const onLost = (): void => {
      this.#isShown = false;
      this.#showLater(0);
    };
    await this.#database.useUntilLost(async (sql) => {
      const [row] = await sql.unsafe(lockOwner, [this.key]);
      // The last connection of this process may not have ended on the server yet, or another process looks at the lock right now.
      if (row?.["is_locked"] !== true) throw new Error("The lock is held");
      await sql.unsafe(addOwner, [this.key]);
      this.#isShown = true;
    }, onLost);
  }
}

/** Writes to the database: those of a few sessions in a tick each in a transaction of its own, at once; of more, together in one. */
import type { MaybePromise } from "@capstan/log";
import type { DatabaseSync, StatementSync } from "node:sqlite";

interface Waiting {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

type Outcome =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly thrown: unknown };

export class Transactions {
  readonly #database: DatabaseSync;
  readonly #maxAtOnce: number;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #save: StatementSync;
  readonly #forget: StatementSync;
  readonly #release: StatementSync;
  #waiting: Waiting[] = [];
  /** How often another session than the one before was written to in this tick. */
  #writers = 0;
  #lastSession = "";

  /** So many sessions are answered at once. */
  constructor(database: DatabaseSync, maxAtOnce: number) {
    this.#database = database;
    this.#maxAtOnce = maxAtOnce;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
    this.#save = database.prepare("SAVEPOINT one");
    this.#forget = database.prepare("ROLLBACK TO one");
    this.#release = database.prepare("RELEASE one");
  }

  /** All of it or nothing. What comes back, or is resolved with, is safe. */
  write<T>(sessionId: string, run: () => T): MaybePromise<T> {
    if (this.#waiting.length > 0) return this.#together(run);
    if (sessionId !== this.#lastSession || this.#writers === 0) {
      if (this.#writers >= this.#maxAtOnce) return this.#together(run);
      if (this.#writers === 0) setImmediate(() => this.#nextTick());
      this.#writers += 1;
      this.#lastSession = sessionId;
    }
    return this.atOnce(run);
  }

  atOnce<T>(run: () => T): T {
    this.#begin.run();
    try {
      const value = run();
      this.#commit.run();
      return value;
    } catch (thrown) {
      this.#undo();
      throw thrown;
    }
  }

  /** Writes what waits, at once. */
  flush(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    let outcomes: Outcome[];
    try {
      const [only, second] = group;
      outcomes = this.atOnce(() =>
        only !== undefined && second === undefined
          ? [{ isDone: true, value: only.run() }]
          : group.map(({ run }) => this.#runOne(run)),
      );
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
      return;
    }
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.isDone) group[i]?.resolve(outcome.value);
      else group[i]?.reject(outcome.thrown);
    }
  }

  /** One that is refused takes back what it wrote, and not what the others did. */
  #runOne(run: () => unknown): Outcome {
    this.#save.run();
    try {
      const value = run();
      this.#release.run();
      return { isDone: true, value };
    } catch (thrown) {
      // Some failures end the transaction: then nothing of the group was written.
      if (!this.#database.isTransaction) throw thrown;
      this.#forget.run();
      this.#release.run();
      return { isDone: false, thrown };
    }
  }

  #together<T>(run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // A value goes back to the promise that its own function was given with.
    this.#waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
    if (this.#waiting.length === 1) setImmediate(() => this.flush());
    return promise;
  }

  #nextTick(): void {
    this.#writers = 0;
  }

  #undo(): void {
    if (!this.#database.isTransaction) return;
    try {
      this.#rollback.run();
    } catch {
      // The first failure is the one to tell of.
    }
  }
}

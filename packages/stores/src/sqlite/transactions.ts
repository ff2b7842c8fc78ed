/** Writes to the database: if few sessions write in a tick, each in its own transaction, at once; if many, together in one. */
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
  /** How often the writing session changed in this tick. */
  #writers = 0;
  #lastSession = "";

  /** `maxAtOnce`: how many sessions are written at once. */
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

  /** Atomic. Once it returns or resolves, the write is durable. */
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

  /** Performs waiting writes at once. */
  flush(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    let outcomes: readonly Outcome[];
    try {
      outcomes =
        this.#runAll(group) ?? this.atOnce(() => group.map(({ run }) => this.#runOne(run)));
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
      return;
    }
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.isDone) group[i]?.resolve(outcome.value);
      else group[i]?.reject(outcome.thrown);
    }
  }

  /**
   * Without savepoints, which cost a third of small writes. Undefined if one was refused: then nothing was written, and all have to run
   * again. They only read and write rows.
   */
  #runAll(group: readonly Waiting[]): readonly Outcome[] | undefined {
    let isRefused = false;
    const outcomeOf = ({ run }: Waiting): Outcome => {
      try {
        return { isDone: true, value: run() };
      } catch (thrown) {
        isRefused = true;
        throw thrown;
      }
    };
    try {
      return this.atOnce(() => group.map(outcomeOf));
    } catch (thrown) {
      if (isRefused && group.length > 1) return undefined;
      throw thrown;
    }
  }

  /** A refused write is rolled back, without those of the others. */
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
    // Each value goes to the promise of its own function.
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
      // The first failure is the one to report.
    }
  }
}

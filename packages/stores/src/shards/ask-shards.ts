/** Asks several databases the same at once, and waits for a slow one only so long. */
import type { MaybePromise } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import type { Shard } from "./shard.ts";

/** In the order of the databases. */
export interface Outcomes<T> {
  readonly answers: ReadonlyMap<Shard, T>;
  readonly failures: ReadonlyMap<Shard, unknown>;
}

export interface Patience<T> {
  /** A database that takes longer has failed. */
  readonly patienceMs: number;
  /** Gets the answer of such a database. Never throws. */
  onLate?(shard: Shard, answer: T): void;
}

/** Never rejects. */
export async function askShards<T>(
  shards: readonly Shard[],
  ask: (shard: Shard) => MaybePromise<T>,
  patience?: Patience<T>,
): Promise<Outcomes<T>> {
  const asked = shards.map((shard) => {
    const answer = (async () => ask(shard))();
    return patience === undefined ? answer : inTime(shard, answer, patience);
  });
  const outcomes = await Promise.allSettled(asked);
  const answers = new Map<Shard, T>();
  const failures = new Map<Shard, unknown>();
  for (const [index, outcome] of outcomes.entries()) {
    const shard = shards[index] as Shard;
    if (outcome.status === "fulfilled") answers.set(shard, outcome.value);
    else failures.set(shard, outcome.reason);
  }
  return { answers, failures };
}

function inTime<T>(
  shard: Shard,
  answer: Promise<T>,
  { patienceMs, onLate }: Patience<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(tooSlow(shard, patienceMs));
  }, patienceMs);
  const onAnswer = (value: T): void => {
    clearTimeout(timer);
    if (isLate) onLate?.(shard, value);
    else resolve(value);
  };
  const onFailure = (thrown: unknown): void => {
    clearTimeout(timer);
    reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };
  answer.then(onAnswer, onFailure);
  return promise;
}

function tooSlow({ name }: Shard, ms: number): RepositoryError {
  const message = `The database ${name} has not answered within ${Math.round(ms)} ms: check its load, and the network`;
  return new RepositoryError("unavailable", "", message);
}

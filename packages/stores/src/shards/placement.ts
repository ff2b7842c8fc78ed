/** Tells apart what a database has of sessions that belong in another one: calls for them go there, and would not find or not mean these. */
import { shardOf } from "./rendezvous.ts";
import type { Shard } from "./shard.ts";

export interface Divided<T> {
  readonly own: readonly T[];
  readonly misplaced: readonly T[];
}

export class Placement {
  readonly #shards: readonly Shard[];
  readonly #told = new Set<Shard>();

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
  }

  /** Separates what is about sessions that belong in another database. Names a database that gives such, once. */
  divide<T>(shard: Shard, given: readonly T[], idOf: (one: T) => string): Divided<T> {
    const isOwn = (one: T): boolean => shardOf(this.#shards, idOf(one)) === shard;
    const own = given.filter(isOwn);
    const misplaced = given.filter((one) => !isOwn(one));
    const [first] = misplaced;
    if (first !== undefined) this.#warn(shard, idOf(first));
    return { own, misplaced };
  }

  #warn(shard: Shard, id: string): void {
    if (this.#told.has(shard)) return;
    this.#told.add(shard);
    const message = `The database ${shard.name} has sessions that belong in another one, "${id}" among them, and they are left out: move them there`;
    process.emitWarning(message, { code: "CAPSTAN_SHARD_MISPLACED" });
  }
}

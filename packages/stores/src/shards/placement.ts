/** Leaves out what a database has of sessions that belong in another one: calls for them go there, and would not find or not mean these. */
import { shardOf } from "./rendezvous.ts";
import type { Shard } from "./shard.ts";

export class Placement {
  readonly #shards: readonly Shard[];
  readonly #told = new Set<Shard>();

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
  }

  /** Keeps what is about sessions that belong in this database. Names a database that gives others, once. */
  keepOwn<T>(shard: Shard, given: readonly T[], idOf: (one: T) => string): T[] {
    return given.filter((one) => {
      const id = idOf(one);
      const isOwn = shardOf(this.#shards, id) === shard;
      if (!isOwn) this.#warn(shard, id);
      return isOwn;
    });
  }

  #warn(shard: Shard, id: string): void {
    if (this.#told.has(shard)) return;
    this.#told.add(shard);
    const message = `The database ${shard.name} has sessions that belong in another one, "${id}" among them, and they are left out: move them there`;
    process.emitWarning(message, { code: "CAPSTAN_SHARD_MISPLACED" });
  }
}

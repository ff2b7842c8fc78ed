/** Chooses a database for each session, by rendezvous hashing. */
import { hash } from "node:crypto";

/** A new database takes its share of the ids from the others, and no other id moves. The order of the databases does not matter. */
export function shardOf<Named extends { readonly name: string }>(
  shards: readonly Named[],
  id: string,
): Named {
  let best: Named | undefined;
  let highest = "";
  for (const shard of shards) {
    const score = hash("sha1", `${shard.name}\n${id}`);
    if (best !== undefined && score <= highest) continue;
    best = shard;
    highest = score;
  }
  // There is at least one.
  return best as Named;
}

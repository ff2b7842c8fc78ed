/** Claims due sessions in several databases. */
import type { Claim, DueQuery } from "@capstan/log";
import type { Outcomes } from "./ask-shards.ts";
import { askShards } from "./ask-shards.ts";
import type { Shard } from "./shard.ts";

const defaultClaimed = 10;
/** Also if a lease is short: connecting for the first time may take a while. */
const minPatienceMs = 2_000;

/**
 * Each database gives its share; those with more due sessions give what others do not need. A slow one is not waited for until the leases
 * that the others gave are over: it has failed, and gets back what it gives too late.
 */
export async function claimDueIn(
  line: readonly Shard[],
  query: DueQuery,
): Promise<Outcomes<readonly Claim[]>> {
  const { limit = defaultClaimed, ttlMs } = query;
  const patienceMs = Math.max(ttlMs / 4, minPatienceMs);
  const startedAt = performance.now();
  const answers = new Map<Shard, readonly Claim[]>();
  const failures = new Map<Shard, unknown>();
  let left = limit;
  const claim = async (shards: readonly Shard[], most: (shard: Shard) => number): Promise<void> => {
    const outcomes = await askShards(
      shards,
      (shard) => shard.store.claimDue({ ...query, limit: most(shard) }),
      { patienceMs, onLate: giveBack },
    );
    for (const [shard, given] of outcomes.answers) {
      answers.set(shard, [...(answers.get(shard) ?? []), ...given]);
      left -= given.length;
    }
    for (const [shard, thrown] of outcomes.failures) failures.set(shard, thrown);
  };
  const shareOf = (shard: Shard): number => {
    const isExtra = line.indexOf(shard) < limit % line.length;
    return Math.floor(limit / line.length) + (isExtra ? 1 : 0);
  };

  const sharing = line.filter((shard) => shareOf(shard) > 0);
  await claim(sharing, shareOf);
  for (const shard of line) {
    if (left <= 0 || performance.now() - startedAt > patienceMs) break;
    const hasMore = (answers.get(shard)?.length ?? 0) >= shareOf(shard);
    if (hasMore && !failures.has(shard)) await claim([shard], () => left);
  }
  return { answers, failures };
}

/** Without it, a database that always answers too late would keep its sessions leased to no host. */
function giveBack({ store }: Shard, claims: readonly Claim[]): void {
  for (const { lease } of claims) {
    const release = async (): Promise<unknown> => store.release(lease);
    // Then the lease expires.
    release().catch(() => {});
  }
}

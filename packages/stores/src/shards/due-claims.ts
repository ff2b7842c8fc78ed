/** Claims due sessions in several databases. */
import type { Claim, DueQuery } from "@capstan/log";
import type { Probe } from "./attendance.ts";
import type { Outcomes } from "./ask-shards.ts";
import { askShards } from "./ask-shards.ts";
import type { Placement } from "./placement.ts";
import type { Shard } from "./shard.ts";

const defaultClaimed = 10;
/** Also if a lease is short: connecting for the first time may take a while. */
export const minPatienceMs = 2_000;
/** After so many misplaced sessions a search leaves a database. The next search finds them at the end of the line. */
const maxMisplaced = 100;

/**
 * Each database gives its share; those with more due sessions give what others do not need. A slow one is not waited for until the leases
 * that the others gave are over: it has failed, and gets back what it gives too late.
 */
export async function claimDueIn(
  line: readonly Shard[],
  query: DueQuery,
  placement: Placement,
): Promise<Outcomes<readonly Claim[]>> {
  const { limit = defaultClaimed } = query;
  const patienceMs = patienceOf(query);
  const search = new Search({ ...query, limit }, placement, patienceMs);
  const shareOf = (shard: Shard): number => {
    const isExtra = line.indexOf(shard) < limit % line.length;
    return Math.floor(limit / line.length) + (isExtra ? 1 : 0);
  };

  const refillsEndAt = performance.now() + patienceMs / 2;
  const sharing = line.filter((shard) => shareOf(shard) > 0);
  await search.claim(sharing, shareOf);
  for (const shard of line) {
    while (search.isWorthAsking(shard) && performance.now() < refillsEndAt) {
      await search.claim([shard], () => search.left);
    }
  }
  await search.giveBackMisplaced();
  return search;
}

/** Claims one session and gives it back: a claim that finds none would be fast also where claims are slow. */
export function claimProbe(query: DueQuery): Probe {
  return {
    ask: async (shard) => giveBack(shard, await shard.store.claimDue({ ...query, limit: 1 })),
    patienceMs: patienceOf(query),
  };
}

function patienceOf({ ttlMs }: DueQuery): number {
  return Math.max(ttlMs / 4, minPatienceMs);
}

class Search implements Outcomes<readonly Claim[]> {
  readonly answers: Map<Shard, readonly Claim[]> = new Map();
  readonly failures: Map<Shard, unknown> = new Map();
  /** Claims still wanted. */
  left: number;
  readonly #query: DueQuery;
  readonly #placement: Placement;
  readonly #patienceMs: number;
  readonly #misplaced = new Map<Shard, readonly Claim[]>();
  /** Databases that have failed, or have no more due sessions. */
  readonly #exhausted = new Set<Shard>();

  constructor(
    query: DueQuery & { readonly limit: number },
    placement: Placement,
    patienceMs: number,
  ) {
    this.left = query.limit;
    this.#query = query;
    this.#placement = placement;
    this.#patienceMs = patienceMs;
  }

  async claim(shards: readonly Shard[], most: (shard: Shard) => number): Promise<void> {
    const limits = new Map(shards.map((shard) => [shard, most(shard)]));
    const limitOf = (shard: Shard): number => limits.get(shard) ?? 0;
    const { answers, failures } = await askShards(
      shards,
      (shard) => shard.store.claimDue({ ...this.#query, limit: limitOf(shard) }),
      { patienceMs: this.#patienceMs, onLate: giveBackLater },
    );
    for (const [shard, given] of answers) {
      this.#keep(shard, given);
      if (given.length < limitOf(shard)) this.#exhausted.add(shard);
    }
    for (const [shard, thrown] of failures) {
      this.failures.set(shard, thrown);
      this.#exhausted.add(shard);
    }
  }

  isWorthAsking(shard: Shard): boolean {
    if (this.left <= 0 || this.#exhausted.has(shard)) return false;
    return this.#misplacedIn(shard).length < maxMisplaced;
  }

  /** Only after the last claim: they are due again at once, and would be claimed again. */
  async giveBackMisplaced(): Promise<void> {
    const shards = [...this.#misplaced.keys()];
    const patienceMs = this.#patienceMs / 4;
    const release = (shard: Shard): Promise<void> => giveBack(shard, this.#misplacedIn(shard));
    await askShards(shards, release, { patienceMs });
  }

  #keep(shard: Shard, given: readonly Claim[]): void {
    const { own, misplaced } = this.#placement.divide(shard, given, idOf);
    this.answers.set(shard, [...(this.answers.get(shard) ?? []), ...own]);
    this.left -= own.length;
    if (misplaced.length === 0) return;
    this.#misplaced.set(shard, [...this.#misplacedIn(shard), ...misplaced]);
  }

  #misplacedIn(shard: Shard): readonly Claim[] {
    return this.#misplaced.get(shard) ?? [];
  }
}

function idOf({ lease }: Claim): string {
  return lease.sessionId;
}

/** Without it, a database that always answers too late would keep its sessions leased to no host. */
function giveBackLater(shard: Shard, claims: readonly Claim[]): void {
  // Never fails.
  giveBack(shard, claims).catch(() => {});
}

/** A lease that cannot be released expires. */
async function giveBack({ store }: Shard, claims: readonly Claim[]): Promise<void> {
  await Promise.allSettled(claims.map(async ({ lease }) => store.release(lease)));
}

/** Sessions in several databases: each session is in one of them, chosen by its id. */
import { hash } from "node:crypto";
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListQuery,
  LiveFrame,
  MaybePromise,
  NewEntry,
  Posted,
  PostedEntry,
  PostOptions,
  ReadOptions,
  ReadPage,
  SessionHead,
  SessionPage,
  SubscribeOptions,
  Wakeup,
  WriteOptions,
} from "@capstan/log";
import { formatListCursor, newestFirst } from "@capstan/log";
import type { StoreHandle } from "../handle/store-handle.ts";

/** One of the databases. */
export interface Shard {
  /** Decides, with the id, which sessions are here: it must not change. */
  readonly name: string;
  readonly store: StoreHandle;
}

const defaultListed = 50;
const defaultClaimed = 10;

export class ShardedRepository implements StoreHandle {
  readonly #shards: readonly Shard[];
  /** Names of the databases whose last call for all sessions failed. */
  readonly #away = new Set<string>();
  /** Shard that is asked first for due sessions. */
  #turn = 0;
  /** Set if all of them can tell. */
  readonly nextDueInMs?: (agents: readonly string[]) => Promise<number | undefined>;

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
    if (shards.every(({ store }) => store.nextDueInMs !== undefined)) {
      this.nextDueInMs = (agents) => this.#nextDueInMs(agents);
    }
  }

  create(id: string, entries: readonly NewEntry[], head: SessionHead): MaybePromise<void> {
    return this.#of(id).create(id, entries, head);
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions): MaybePromise<Appended> {
    return this.#of(id).append(id, entries, options);
  }

  post(id: string, entry: PostedEntry, options?: PostOptions): MaybePromise<Posted> {
    return this.#of(id).post(id, entry, options);
  }

  read(id: string, options?: ReadOptions): MaybePromise<ReadPage> {
    return this.#of(id).read(id, options);
  }

  /** Without the sessions of databases that are away, as long as one answers. */
  async list(query: ListQuery = {}): Promise<SessionPage> {
    const { limit = defaultListed } = query;
    const pages = await this.#askAll(this.#shards, ({ store }) => store.list(query));
    const sorted = newestFirst(pages.flatMap(({ sessions }) => sessions));
    const sessions = sorted.slice(0, limit);
    const last = sessions.at(-1);
    const hasMore = sorted.length > limit || pages.some(({ next }) => next !== undefined);
    if (!hasMore || last === undefined) return { sessions };
    const next = formatListCursor({ updatedAt: last.head.updatedAt, id: last.id });
    return { sessions, next };
  }

  delete(id: string): MaybePromise<void> {
    return this.#of(id).delete(id);
  }

  acquire(id: string, owner: string, ttlMs: number): MaybePromise<Claim | undefined> {
    return this.#of(id).acquire(id, owner, ttlMs);
  }

  renew(lease: Lease, ttlMs: number): MaybePromise<void> {
    return this.#of(lease.sessionId).renew(lease, ttlMs);
  }

  release(lease: Lease): MaybePromise<{ readonly lastSeq: number }> {
    return this.#of(lease.sessionId).release(lease);
  }

  /** Each database gives its share; those with more due sessions give what others do not need. */
  async claimDue(query: DueQuery): Promise<readonly Claim[]> {
    const { limit = defaultClaimed } = query;
    // Another one is first each time: a limit below their number would otherwise always leave out the last.
    this.#turn = (this.#turn + 1) % this.#shards.length;
    const line = [...this.#shards.slice(this.#turn), ...this.#shards.slice(0, this.#turn)];
    const share = Math.floor(limit / line.length);
    const extra = limit % line.length;
    const full: Shard[] = [];
    const given = await this.#askAll(line, async (shard) => {
      const own = share + (line.indexOf(shard) < extra ? 1 : 0);
      const claims = own > 0 ? await shard.store.claimDue({ ...query, limit: own }) : [];
      if (claims.length === own) full.push(shard);
      return claims;
    });
    const claims = given.flat();
    for (const shard of full) {
      const left = limit - claims.length;
      if (left <= 0) break;
      // Claims that were given are returned in any case. `#askAll` has named a database that is away.
      const more = await this.#askAll([shard], ({ store }) =>
        store.claimDue({ ...query, limit: left }),
      ).catch(() => []);
      claims.push(...more.flat());
    }
    return claims;
  }

  putBlob(id: string, bytes: Uint8Array, options?: WriteOptions): MaybePromise<string> {
    return this.#of(id).putBlob(id, bytes, options);
  }

  getBlob(id: string, ref: string, range?: ByteRange): MaybePromise<Uint8Array | undefined> {
    return this.#of(id).getBlob(id, ref, range);
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    return this.#of(id).subscribe(id, listener, options);
  }

  sendLive(lease: Lease, frame: LiveFrame): void {
    this.#of(lease.sessionId).sendLive?.(lease, frame);
  }

  async close(): Promise<void> {
    await Promise.all(this.#shards.map(({ store }) => store.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #nextDueInMs(agents: readonly string[]): Promise<number | undefined> {
    const waits = await this.#askAll(this.#shards, ({ store }) => store.nextDueInMs?.(agents));
    const known = waits.filter((ms) => ms !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  #of(id: string): StoreHandle {
    return shardOf(this.#shards, id).store;
  }

  /** Asks several databases. Fails only if all of them do: a database that is away affects its own sessions, and is named once. */
  async #askAll<T>(shards: readonly Shard[], ask: (shard: Shard) => MaybePromise<T>): Promise<T[]> {
    const asked = shards.map(async (shard) => ask(shard));
    const outcomes = await Promise.allSettled(asked);
    const answers: T[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const { name } = shards[index] as Shard;
      if (outcome.status === "fulfilled") {
        this.#away.delete(name);
        answers.push(outcome.value);
      } else this.#warn(name, outcome.reason);
    }
    // None has answered: fails as the first one did.
    return answers.length === 0 ? Promise.all(asked) : answers;
  }

  #warn(name: string, thrown: unknown): void {
    if (this.#away.has(name)) return;
    this.#away.add(name);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The sessions in the database ${name} are left out until it is back: ${why}`;
    process.emitWarning(message, { code: "CAPSTAN_SHARD_AWAY" });
  }
}

/** Rendezvous hashing: a new database takes its share of the ids from the others, and no other id moves. */
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

/** Sessions in several databases: each session is in one of them, chosen by its id. */
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
import type { StoreHandle } from "../handle/store-handle.ts";
import type { Outcomes } from "./ask-shards.ts";
import { askShards } from "./ask-shards.ts";
import type { Probe } from "./attendance.ts";
import { Attendance } from "./attendance.ts";
import { claimDueIn, claimProbe, minPatienceMs } from "./due-claims.ts";
import type { ListOrder } from "./merged-pages.ts";
import { mergePages } from "./merged-pages.ts";
import { Placement } from "./placement.ts";
import { shardOf } from "./rendezvous.ts";
import type { Shard } from "./shard.ts";

const defaultListed = 50;

/** Lists wait for every database as long as it takes. */
const listProbe: Probe = { ask: ({ store }) => store.list({ limit: 1 }), patienceMs: Infinity };

export class ShardedRepository implements StoreHandle {
  readonly #shards: readonly Shard[];
  readonly #order: ListOrder;
  readonly #lists: Attendance;
  /** Apart from lists: a standby can list sessions, and cannot give leases. */
  readonly #claims: Attendance;
  /** Apart from claims, which lack nothing without a forecast: hosts then look at their next poll. */
  readonly #forecasts: Attendance;
  readonly #placement: Placement;
  /** Shard that is asked first for due sessions. */
  #turn = 0;
  /** Set if all of them can tell. */
  readonly nextDueInMs?: (agents: readonly string[]) => Promise<number | undefined>;

  constructor(shards: readonly Shard[], order: ListOrder) {
    this.#shards = shards;
    this.#order = order;
    this.#lists = new Attendance({
      shards,
      consequence: (name) => `Lists lack the sessions in the database ${name}`,
    });
    this.#claims = new Attendance({
      shards,
      consequence: (name) => `Due sessions in the database ${name} are not claimed`,
    });
    this.#forecasts = new Attendance({ shards });
    this.#placement = new Placement(shards);
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
    const present = this.#lists.present(listProbe);
    const outcomes = await askShards(present, ({ store }) => store.list(query));
    const pages = conclude(outcomes, this.#lists);
    const own = [...pages].map(([shard, { sessions, next }]) => ({
      sessions: this.#placement.divide(shard, sessions, ({ id }) => id).own,
      end: next === undefined ? undefined : sessions.at(-1),
    }));
    return mergePages(own, limit, this.#order);
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

  async claimDue(query: DueQuery): Promise<readonly Claim[]> {
    const present = this.#claims.present(claimProbe(query));
    // Another one is first each time: a limit below their number would otherwise always leave out the last.
    this.#turn = (this.#turn + 1) % present.length;
    const line = [...present.slice(this.#turn), ...present.slice(0, this.#turn)];
    const outcomes = await claimDueIn(line, query, this.#placement);
    return [...conclude(outcomes, this.#claims).values()].flat();
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
    this.#lists.close();
    this.#claims.close();
    this.#forecasts.close();
    // One that fails to close must not leave others open.
    const closed = await Promise.allSettled(this.#shards.map(async ({ store }) => store.close()));
    for (const outcome of closed) if (outcome.status === "rejected") throw outcome.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #nextDueInMs(agents: readonly string[]): Promise<number | undefined> {
    const foresee = ({ store }: Shard): MaybePromise<number | undefined> =>
      store.nextDueInMs?.(agents);
    const patienceMs = minPatienceMs;
    const present = this.#forecasts.present({ ask: foresee, patienceMs });
    const asked = present.filter((shard) => !this.#claims.isAway(shard));
    const outcomes = await askShards(asked, foresee, { patienceMs });
    const waits = conclude(outcomes, this.#forecasts);
    const known = [...waits.values()].filter((ms) => ms !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  #of(id: string): StoreHandle {
    return shardOf(this.#shards, id).store;
  }
}

/** Returns the answers. Fails only if there is none: a database that is away affects its own sessions. */
function conclude<T>(
  { answers, failures }: Outcomes<T>,
  attendance: Attendance,
): ReadonlyMap<Shard, T> {
  if (answers.size === 0) for (const thrown of failures.values()) throw thrown;
  attendance.leaveOut(failures);
  return answers;
}

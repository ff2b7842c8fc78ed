/** Random calls of a store, with what each means for the sessions that it touches. */
import { hash } from "node:crypto";
import type { Claim, ClaimTerms, Lease, SessionHead } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { entry, head } from "./samples.ts";
import type { ModelCall, SessionModel } from "./session-model.ts";
import { modelOf } from "./session-model.ts";

export interface RandomCall {
  /** Named in failures. */
  readonly text: string;
  /** Sessions that it touches. */
  readonly ids: readonly string[];
  /** Resolves with the result for each of them. Fails only with `unavailable`. */
  run(store: StoreHandle): Promise<ReadonlyMap<string, unknown>>;
  readonly model: ModelCall;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ttlMs = 600_000;
const agents = ["helper"];

export class RandomCalls {
  readonly #random: () => number;
  readonly #sessions: ReadonlyMap<string, SessionModel>;
  readonly #ids: readonly string[];
  readonly #leases: Lease[] = [];
  readonly #posted: string[] = [];
  readonly #refs: string[] = ["0".repeat(64)];
  #count = 0;

  constructor(random: () => number, sessions: ReadonlyMap<string, SessionModel>) {
    this.#random = random;
    this.#sessions = sessions;
    this.#ids = [...sessions.keys()];
  }

  next(): RandomCall {
    const id = this.#pick(this.#ids);
    const calls: readonly [weight: number, make: (id: string) => RandomCall][] = [
      [3, (each) => this.#create(each)],
      [8, (each) => this.#post(each)],
      [9, (each) => this.#append(each)],
      [4, (each) => this.#acquire(each)],
      [2, (each) => this.#renew(each)],
      [2, (each) => this.#release(each)],
      [3, () => this.#claimDue()],
      [2, (each) => this.#putBlob(each)],
      [2, (each) => this.#getBlob(each)],
      [1, (each) => this.#delete(each)],
      [3, readCall],
      [2, () => this.#list()],
    ];
    const weighted = calls.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
    return this.#pick(weighted)(id);
  }

  #create(id: string): RandomCall {
    const ids = this.#newIds(1 + this.#below(2));
    const begun = this.#head(id);
    return one(id, `create ${ids.join()}`, modelOf.create(ids, begun), (store) =>
      store.create(
        id,
        ids.map((each) => entry(each)),
        begun,
      ),
    );
  }

  /** Often again, with an id that was posted before. */
  #post(id: string): RandomCall {
    const [fresh = ""] = this.#newIds(1);
    const posted = this.#chance(0.3) ? this.#pick([...this.#posted.slice(-3), fresh]) : fresh;
    this.#posted.push(posted);
    const claim = this.#chance(0.6) ? this.#terms() : undefined;
    const start =
      claim !== undefined && this.#chance(0.6)
        ? { ids: this.#newIds(2), head: this.#head(id), onlyIfSeq: this.#lastSeq(id) }
        : undefined;
    const text = `post ${posted}, claim ${claim?.owner}, start ${start?.ids.join()} after ${start?.onlyIfSeq}`;
    return one(id, text, modelOf.post(posted, claim, start), async (store) => {
      const given = await store.post(id, entry(posted), {
        claim,
        start: start && { ...start, entries: start.ids.map((each) => entry(each)) },
      });
      this.#keep(given.claim);
      return given;
    });
  }

  #append(id: string): RandomCall {
    const ids = this.#newIds(this.#below(4));
    const options = {
      lease: this.#lease(id),
      ...(this.#chance(0.7) && { head: this.#head(id) }),
      ...(this.#chance(0.3) && { onlyIfSeq: this.#lastSeq(id) }),
      ...(this.#chance(0.15) && { releases: true }),
    };
    const text = `append ${ids.join()} ${JSON.stringify(options)}`;
    return one(id, text, modelOf.append(ids, options), (store) =>
      store.append(
        id,
        ids.map((each) => entry(each)),
        options,
      ),
    );
  }

  #acquire(id: string): RandomCall {
    const { owner } = this.#terms();
    return one(id, `acquire ${owner}`, modelOf.acquire(owner), async (store) =>
      this.#keep(await store.acquire(id, owner, ttlMs)),
    );
  }

  #renew(id: string): RandomCall {
    const lease = this.#lease(id);
    return one(id, `renew ${lease.epoch}`, modelOf.renew(lease), (store) =>
      store.renew(lease, ttlMs),
    );
  }

  #release(id: string): RandomCall {
    const lease = this.#lease(id);
    return one(id, `release ${lease.epoch}`, modelOf.release(lease), (store) =>
      store.release(lease),
    );
  }

  #claimDue(): RandomCall {
    const { owner } = this.#terms();
    const run = async (store: StoreHandle): Promise<ReadonlyMap<string, unknown>> => {
      const claims = await store.claimDue({ agents, owner, ttlMs });
      for (const claim of claims) this.#keep(claim);
      return this.#byId(new Map(claims.map((claim) => [claim.lease.sessionId, claim])));
    };
    return { text: `claimDue ${owner}`, ids: this.#ids, model: modelOf.claimDue(owner), run };
  }

  #putBlob(id: string): RandomCall {
    const bytes = Uint8Array.of(this.#below(5));
    const ref = refOf(bytes);
    this.#refs.push(ref);
    return one(id, `putBlob ${ref}`, modelOf.putBlob(ref), (store) => store.putBlob(id, bytes));
  }

  #getBlob(id: string): RandomCall {
    const ref = this.#pick(this.#refs);
    return one(id, `getBlob ${ref}`, modelOf.getBlob(ref), async (store) => {
      const bytes = await store.getBlob(id, ref);
      return bytes !== undefined && refOf(bytes) === ref;
    });
  }

  #delete(id: string): RandomCall {
    return one(id, "delete", modelOf.remove, (store) => store.delete(id));
  }

  #list(): RandomCall {
    const run = async (store: StoreHandle): Promise<ReadonlyMap<string, unknown>> => {
      const { sessions } = await store.list();
      return this.#byId(new Map(sessions.map((each) => [each.id, each])));
    };
    return { text: "list", ids: this.#ids, model: modelOf.list, run };
  }

  /** Undefined for sessions that are not in the result. */
  #byId(found: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const strangers = [...found.keys()].filter((id) => !this.#sessions.has(id));
    if (strangers.length > 0) throw new Error(`${strangers.join()} were never created`);
    return new Map(this.#ids.map((id) => [id, found.get(id)]));
  }

  #keep(claim: Claim | undefined): Claim | undefined {
    if (claim !== undefined) this.#leases.push(claim.lease);
    return claim;
  }

  /** Usually the last one that this session is known to have given. */
  #lease(id: string): Lease {
    const own = this.#leases.filter(({ sessionId }) => sessionId === id);
    const none: Lease = { sessionId: id, owner: "first", epoch: 0 };
    return (this.#chance(0.9) ? own.at(-1) : own.at(-2)) ?? none;
  }

  #terms(): ClaimTerms {
    return { owner: this.#pick(["first", "second"]), ttlMs };
  }

  #head(id: string): SessionHead {
    this.#count += 1;
    const status = this.#pick(["idle", "running"] as const);
    return head({ status, seen: this.#lastSeq(id), updatedAt: this.#count });
  }

  /** Usually the right one. */
  #lastSeq(id: string): number {
    const length = this.#sessions.get(id)?.some.entries?.length ?? 0;
    return Math.max(0, length - (this.#chance(0.2) ? 1 : 0));
  }

  #newIds(count: number): string[] {
    return Array.from({ length: count }, () => `e${(this.#count += 1)}`);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

export function readCall(id: string): RandomCall {
  return one(id, "read", modelOf.read, async (store) => {
    const { entries, lastSeq, incarnation } = await store.read(id);
    return { ids: entries.map((each) => each.id), lastSeq, incarnation };
  });
}

/** A call for one session. */
function one(
  id: string,
  text: string,
  meant: ModelCall,
  ask: (store: StoreHandle) => unknown,
): RandomCall {
  const run = async (store: StoreHandle): Promise<ReadonlyMap<string, unknown>> => {
    try {
      return new Map([[id, await ask(store)]]);
    } catch (thrown) {
      if (!isRepositoryError(thrown) || thrown.code === "unavailable") throw thrown;
      return new Map([[id, { failed: thrown.code }]]);
    }
  };
  return { text: `${id}: ${text}`, ids: [id], model: meant, run };
}

function refOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

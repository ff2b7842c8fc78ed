/** Sessions in Durable Objects: one for each session, and one that knows them all. */
import type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListQuery,
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
import { fromBase64, incarnationOf, toBase64, Wakeups } from "@capstan/log";
import { closedStore } from "../handle/closed-store.ts";
import type { StoreHandle } from "../handle/store-handle.ts";
import { toEntryTexts, toPostTexts } from "../text/entry-text.ts";
import { toPlainText } from "../text/plain-text.ts";
import type { ObjectStub, StoreBindings } from "./bindings.ts";
import { call } from "./calls.ts";
import type { IndexCalls } from "./index-object.ts";
import type { Address } from "./reports.ts";
import type { SessionCalls } from "./session-calls.ts";

/** Pause after a failed attempt to watch a session. */
const watchAgainMs = 1_000;

interface Watch {
  listeners: number;
  readonly stop: AbortController;
}

type WithoutFirst<Args> = Args extends [unknown, ...infer Rest] ? Rest : never;
type ArgumentsOf<Name extends keyof SessionCalls> = SessionCalls[Name] extends (
  ...args: infer Args
) => unknown
  ? WithoutFirst<Args>
  : never;

export class DurableObjectRepository implements StoreHandle {
  readonly #bindings: Pick<StoreBindings, "CAPSTAN_SESSIONS" | "CAPSTAN_INDEX">;
  readonly #store: string;
  readonly #wakeups = new Wakeups();
  readonly #watches = new Map<string, Watch>();
  #isClosed = false;

  constructor(
    bindings: Pick<StoreBindings, "CAPSTAN_SESSIONS" | "CAPSTAN_INDEX">,
    { name }: { readonly name: string },
  ) {
    this.#bindings = bindings;
    this.#store = name;
  }

  async create(id: string, entries: readonly NewEntry[], head: SessionHead): Promise<void> {
    const texts = toEntryTexts(id, entries);
    const [first] = entries;
    await this.#call("create", id, texts, head, first && incarnationOf(first));
  }

  async append(
    id: string,
    entries: readonly NewEntry[],
    options: AppendOptions,
  ): Promise<Appended> {
    return this.#call("append", id, toEntryTexts(id, entries), options);
  }

  async post(id: string, entry: PostedEntry, options: PostOptions = {}): Promise<Posted> {
    const { entry: text, started } = toPostTexts(id, entry, options);
    if (options.start === undefined) return this.#call("post", id, text, options);
    // The entries are sent once, as text.
    const start = { ...options.start, entries: [] };
    return this.#call("post", id, text, { ...options, start }, started);
  }

  async read(id: string, options: ReadOptions = {}): Promise<ReadPage> {
    // JSON has no infinity.
    const { limit, ...rest } = options;
    const isAll = limit === undefined || limit > Number.MAX_SAFE_INTEGER;
    return this.#call("read", id, isAll ? rest : options);
  }

  async list(query: ListQuery = {}): Promise<SessionPage> {
    return call<IndexCalls, "list">(this.#index(), "", "list", [query]);
  }

  async delete(id: string): Promise<void> {
    await this.#call("delete", id);
  }

  async acquire(id: string, owner: string, ttlMs: number): Promise<Claim | undefined> {
    return this.#call("acquire", id, owner, ttlMs);
  }

  async renew(lease: Lease, ttlMs: number): Promise<void> {
    await this.#call("renew", lease.sessionId, lease, ttlMs);
  }

  async release(lease: Lease): Promise<{ readonly lastSeq: number }> {
    return this.#call("release", lease.sessionId, lease);
  }

  /** The index names candidates; each is claimed at its own object, which knows whether it is due. */
  async claimDue(query: DueQuery): Promise<readonly Claim[]> {
    const { agents, limit = 10 } = query;
    const claims: Claim[] = [];
    const asked: string[] = [];
    while (claims.length < limit) {
      const wanted = limit - claims.length;
      const ids = await call<IndexCalls, "due">(this.#index(), "", "due", [
        { agents },
        asked,
        wanted,
      ]);
      if (ids.length === 0) break;
      asked.push(...ids);
      const given = await Promise.all(ids.map((id) => this.#call("claimIfDue", id, query)));
      claims.push(...given.filter((claim) => claim !== undefined));
    }
    return claims;
  }

  async nextDueInMs(agents: readonly string[]): Promise<number | undefined> {
    return call<IndexCalls, "nextDueInMs">(this.#index(), "", "nextDueInMs", [agents]);
  }

  async putBlob(id: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<string> {
    // A copy: the caller may reuse its buffer.
    const kept = new Uint8Array(bytes);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", kept));
    const ref = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return this.#call("putBlob", id, ref, toBase64(kept), options);
  }

  async getBlob(id: string, ref: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const bytes = await this.#call("getBlob", id, ref, range);
    return bytes === undefined ? undefined : fromBase64(bytes);
  }

  subscribe(
    id: string,
    listener: (wakeup: Wakeup) => void,
    options?: SubscribeOptions,
  ): () => void {
    const unsubscribe = this.#wakeups.subscribe(id, listener, options);
    const watch = this.#watches.get(id) ?? this.#startWatch(id);
    watch.listeners += 1;
    let isStopped = false;
    return () => {
      if (isStopped) return;
      isStopped = true;
      unsubscribe();
      watch.listeners -= 1;
      if (watch.listeners > 0) return;
      watch.stop.abort();
      this.#watches.delete(id);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#watches.values()) stop.abort();
    this.#watches.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #startWatch(id: string): Watch {
    const watch = { listeners: 0, stop: new AbortController() };
    this.#watches.set(id, watch);
    this.#watch(id, watch.stop.signal).catch(() => {
      // Wake-ups are hints: it ends only when it is stopped.
    });
    return watch;
  }

  async #watch(id: string, signal: AbortSignal): Promise<void> {
    let version: number | undefined;
    while (!signal.aborted) {
      try {
        const args = [this.#address(id), version] as [Address, number | undefined];
        const now = await call<SessionCalls, "watch">(this.#stub(id), id, "watch", args, signal);
        if (signal.aborted) return;
        const isChanged = version !== undefined && now.version !== version;
        version = now.version;
        if (isChanged) this.#wakeups.changed(id, now.lastSeq, now.incarnation);
      } catch {
        // The object is away for a moment. The version shows later whether something was written.
        await new Promise((resolve) => {
          setTimeout(resolve, watchAgainMs);
        });
      }
    }
  }

  async #call<Name extends keyof SessionCalls>(
    method: Name,
    id: string,
    ...args: ArgumentsOf<Name>
  ): Promise<SessionCalls[Name] extends (...args: never[]) => infer R ? Awaited<R> : never> {
    // The address is the first argument of every call.
    const all = [this.#address(id), ...args] as unknown as Parameters<
      typeof call<SessionCalls, Name>
    >[3];
    return call<SessionCalls, Name>(this.#stub(id), id, method, all);
  }

  #address(id: string): Address {
    return { store: this.#store, id };
  }

  #stub(id: string): ObjectStub {
    if (this.#isClosed) throw closedStore("Durable Objects", id);
    return this.#bindings.CAPSTAN_SESSIONS.getByName(`${this.#store}/${toPlainText(id)}`);
  }

  #index(): ObjectStub {
    if (this.#isClosed) throw closedStore("Durable Objects", "");
    return this.#bindings.CAPSTAN_INDEX.getByName(this.#store);
  }
}

/** State shared by the handles of a session: one event stream, its readers, and the mirror. */
import type { PendingCall } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type {
  Answer,
  Cursor,
  EventListener,
  SessionEvent,
  SessionPosts,
  SessionReply,
  SessionTarget,
} from "@capstan/log";
import { newId, parseCursor, startCursor } from "@capstan/log";
import { ClientError, isRefusal } from "../errors/client-error.ts";
import type { ClientTurn } from "./client-turn.ts";
import type { Connection, RequestOptions } from "../stream/connection.ts";
import { jsonOf } from "../stream/connection.ts";
import type { CallOwner, LentCallOptions } from "../lent-tools/lent-calls.ts";
import { LentCalls } from "../lent-tools/lent-calls.ts";
import { ReadPosition } from "../stream/read-position.ts";
import type { CallOrigin } from "../lent-tools/run-tool.ts";
import { SessionMirror } from "../mirror/session-mirror.ts";
import type { ClientChildState } from "../tree/child-views.ts";
import type { StreamListener } from "../stream/session-stream.ts";
import { SessionStream, queryOf } from "../stream/session-stream.ts";

/** Listener of a session's events, and what it wants to hear of. */
export interface Subscription {
  readonly listener?: EventListener;
  /** Follows the session over a stream of its own. Returns a function that ends it. */
  readonly openTree?: () => () => void;
  /** Called when the session cannot be followed; `isPassing` tells whether that is temporary. */
  readonly onError?: (error: ClientError) => void;
}

/** Child sessions that a stream of the tree has shown: one list until something changes. */
export interface ChildSource {
  readonly list: readonly ClientChildState[];
}

export class SessionRuntime implements StreamListener, CallOwner {
  readonly id: string;
  readonly connection: Connection;
  readonly lent: LentCallOptions;
  readonly mirror: SessionMirror = new SessionMirror();
  readonly calls: LentCalls;
  readonly stream: SessionStream;
  /** Address of the session. */
  readonly path: string;
  /** Unique per handle, so that two tabs with one name do not both run a call. */
  readonly #claimant: string;
  readonly #holds = new Map<object, () => void>();
  #turns: readonly ClientTurn[] = [];
  /** Child sessions, as each stream of the tree knows them. */
  trees: readonly ChildSource[] = [];
  #subscriptions: readonly Subscription[] = [];
  /** Whether the server has the session; undefined until it was asked. */
  #exists: boolean | undefined;
  #sessionId: string;
  #incarnation: string | undefined;
  /** Number of sessions of this id that are gone. Late messages about one of them are ignored. */
  #goneCount = 0;
  /** Position of the subscribers and the mirror. */
  readonly #seen = new ReadPosition();
  #refreshing: Promise<void> | undefined;
  #refreshNext: Promise<void> | undefined;

  constructor(id: string, connection: Connection, lent: LentCallOptions, isNew: boolean) {
    this.id = id;
    this.connection = connection;
    this.lent = lent;
    this.calls = new LentCalls(lent, this);
    this.path = `/api/agent/session/${encodeURIComponent(id)}`;
    this.#claimant = `${lent.client}:${newId().slice(0, 8)}`;
    this.#sessionId = id;
    if (isNew) this.#exists = false;
    this.stream = new SessionStream(connection, this.path, this);
  }

  get cursor(): Cursor {
    return this.#seen.cursor;
  }

  /** True if the session is known to exist. */
  get exists(): boolean {
    return this.#exists === true;
  }

  get turns(): readonly ClientTurn[] {
    return this.#turns;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Tells the session from earlier ones with its id. Undefined until a server reports it. */
  get incarnation(): string | undefined {
    return this.#incarnation;
  }

  get origin(): CallOrigin {
    return {
      sessionId: this.#sessionId,
      turnId: this.mirror.lastTurnId ?? "",
      incarnation: this.#incarnation,
    };
  }

  /** Incarnation for request bodies, so that no other session with this id is reached. */
  get meant(): SessionTarget {
    return this.#incarnation === undefined ? {} : { incarnation: this.#incarnation };
  }

  /** Finds out whether the session exists, and if so, its cursor. */
  async ensureKnown(): Promise<void> {
    if (this.#exists === undefined) await this.refresh();
  }

  /** Called when the server has stored something for the session. */
  onStored(incarnation: string | undefined): void {
    this.#incarnation ??= incarnation;
    if (this.exists) return;
    this.#exists = true;
    for (const subscription of this.#subscriptions) this.hold(subscription);
  }

  /** Posts until acknowledged. For idempotent requests only. */
  async post<Name extends keyof SessionPosts>(
    name: Name,
    body: SessionPosts[Name]["request"],
    options: Pick<RequestOptions, "signal"> = {},
  ): Promise<SessionPosts[Name]["reply"]> {
    const response = await this.heed(
      () =>
        this.connection.insist("POST", `${this.path}/${name}`, {
          ...options,
          body: { ...body, ...this.meant },
        }),
      name !== "cancel",
    );
    return jsonOf<SessionPosts[Name]["reply"]>(response);
  }

  /** Posts once. */
  request<Name extends keyof SessionPosts>(
    name: Name,
    { body, ...options }: RequestOptions & { body: SessionPosts[Name]["request"] },
  ): Promise<Response> {
    const meant = { ...body, ...this.meant };
    return this.heed(() =>
      this.connection.request("POST", `${this.path}/${name}`, { ...options, body: meant }),
    );
  }

  async remove(options: Pick<RequestOptions, "signal">): Promise<void> {
    await this.heed(() => this.connection.insist("DELETE", this.path + queryOf(this), options));
  }

  /** Tells all readers if the session is gone or was replaced. `isOfSession` is false if a 404 may mean something else than the session. */
  async heed<T>(ask: () => Promise<T>, isOfSession = true): Promise<T> {
    const goneCount = this.#goneCount;
    try {
      return await ask();
    } catch (thrown) {
      if (goneCount !== this.#goneCount) throw thrown;
      if (isRefusal(thrown, "session_replaced", "cursor_ahead")) this.onLost(thrown);
      else if (isRefusal(thrown, "not_found") && this.exists && isOfSession) this.onLost(thrown);
      throw thrown;
    }
  }

  /** Reads the session. A call during a read gets the next one, as it may know of something newer. */
  refresh(): Promise<void> {
    if (this.#refreshing === undefined) return this.#startRefresh();
    return (this.#refreshNext ??= this.#refreshAfter(this.#refreshing));
  }

  addTurn(turn: ClientTurn): void {
    this.#turns = [...this.#turns, turn];
  }

  removeTurn(turn: ClientTurn): void {
    this.#turns = without(this.#turns, turn);
    this.release(turn);
  }

  subscribe(subscription: Subscription): () => void {
    this.#subscriptions = [...this.#subscriptions, subscription];
    background(this.#follow(subscription), (thrown) => this.#onFailed(thrown));
    return () => {
      this.#subscriptions = without(this.#subscriptions, subscription);
      this.release(subscription);
    };
  }

  /** Keeps a stream open for this holder. `response` may stream the next events. */
  hold(holder: object, response?: Response): void {
    this.release(holder);
    // Subscribers may follow by themselves; other holders have no such field.
    const { openTree } = holder as Subscription;
    this.#holds.set(holder, openTree?.() ?? this.stream.use(response));
  }

  release(holder: object): void {
    this.#holds.get(holder)?.();
    this.#holds.delete(holder);
  }

  /** Runs the calls that this client can run. */
  runCalls(pending: readonly PendingCall[]): void {
    this.calls.consider(pending);
    if (this.calls.isBusy && !this.#holds.has(this.calls)) this.hold(this.calls);
  }

  onStart(sessionId: string, incarnation: string | undefined): void {
    this.#sessionId = sessionId;
    this.#incarnation ??= incarnation;
  }

  onEvent(event: SessionEvent, cursor: Cursor): void {
    // Handles of turns may be at an earlier or later cursor.
    for (const turn of this.#turns) turn.take(event, cursor);
    if (!this.#seen.takes(event, cursor)) return;
    this.mirror.apply(event, cursor);
    this.#tell(event, cursor);
    if ("pending" in event && event.type !== "turn_end") this.runCalls(event.pending);
    else if (event.type === "tool_execution_end") this.calls.settle(event.toolCallId);
    else if (event.type === "history_rewound") {
      // The pending calls are gone, and with them the turns that wait for their answers.
      const why = new ClientError("not_pending", "The history was rewound");
      for (const turn of this.#turns) turn.failSuspended(why);
      this.calls.stop();
      this.#refreshSoon();
    } else if (event.type === "turn_end") this.#refreshSoon();
  }

  /** Checks the session: if another process deleted it, the stream stays silent. */
  onQuiet(): void {
    this.#refreshSoon();
  }

  onLost(failure: ClientError): void {
    for (const turn of this.#turns) turn.fail(failure);
    for (const { onError } of this.#subscriptions) onError?.(failure);
    if (failure.isPassing) return;
    this.calls.stop();
    for (const holder of this.#holds.keys()) this.release(holder);
    if (isRefusal(failure, "not_found", "session_replaced", "cursor_ahead")) this.#forget();
  }

  /** Drops the state of a session that is gone. */
  #forget(): void {
    this.#goneCount += 1;
    this.#incarnation = undefined;
    this.#exists = undefined;
    this.mirror.reset();
    this.calls.reset();
    this.#seen.moveTo(startCursor);
    this.stream.reset();
  }

  async claim(toolCallId: string, leaseMs: number, signal: AbortSignal): Promise<void> {
    await this.post("claims", { toolCallId, client: this.#claimant, leaseMs }, { signal });
  }

  async wasClaimedElsewhere(toolCallId: string): Promise<boolean> {
    await this.refresh();
    return this.mirror.firstClaimantOf(toolCallId) !== this.#claimant;
  }

  async answer(answer: Answer): Promise<void> {
    await this.post("answers", { answers: [answer] });
  }

  onCallOver(): void {
    if (this.calls.isBusy) return;
    this.release(this.calls);
    const look = async (): Promise<void> => {
      await this.refresh();
      const { status, pendingToolCalls } = this.mirror.state;
      if (status !== "awaiting_tool_execution") return;
      for (const turn of this.#turns) turn.leave(pendingToolCalls);
    };
    if (this.#turns.length > 0) background(look(), (thrown) => this.#onFailed(thrown));
  }

  onCallFailed(thrown: unknown): void {
    for (const turn of this.#turns) turn.fail(thrown);
  }

  async #follow(subscription: Subscription): Promise<void> {
    await this.ensureKnown();
    if (!this.#subscriptions.includes(subscription) || !this.exists) return;
    this.hold(subscription);
    this.runCalls(this.mirror.state.pendingToolCalls);
  }

  async #refreshAfter(running: Promise<void>): Promise<void> {
    // The caller of that read gets its failure.
    await running.catch(() => {});
    await this.#startRefresh();
  }

  async #startRefresh(): Promise<void> {
    const refreshing = this.#readOnce().finally(() => {
      this.#refreshing = undefined;
    });
    this.#refreshing = refreshing;
    this.#refreshNext = undefined;
    return refreshing;
  }

  async #readOnce(): Promise<void> {
    const { exists } = this;
    try {
      // Page after page, each after the previous one.
      while (await this.#readPage());
    } catch (thrown) {
      if (!isRefusal(thrown, "not_found") || exists) throw thrown;
      // The session is not stored yet.
      this.#exists = false;
    }
  }

  /** Returns whether there is another page. */
  async #readPage(): Promise<boolean> {
    const { lastSeq } = this.mirror;
    const query = queryOf(this, lastSeq === 0 ? {} : { sinceSeq: String(lastSeq) });
    const response = await this.heed(() => this.connection.insist("GET", this.path + query));
    const reading = await jsonOf<SessionReply>(response);
    if (reading.hasMore !== true || reading.lastSeq <= lastSeq) {
      this.#take(reading, lastSeq);
      return false;
    }
    this.#incarnation ??= reading.incarnation;
    this.mirror.read(reading, lastSeq);
    return true;
  }

  #take(reading: SessionReply, sinceSeq: number): void {
    const isFirst = this.#exists === undefined;
    this.#exists = true;
    this.#sessionId = reading.sessionId;
    this.#incarnation ??= reading.incarnation;
    this.mirror.read(reading, sinceSeq);
    // An open stream has newer live parts.
    if (this.stream.isUsed || this.trees.length > 0) return;
    this.mirror.showLive(reading.live);
    if (!isFirst) return;
    const cursor = parseCursor(reading.cursor) ?? startCursor;
    this.#seen.moveTo(cursor);
    this.stream.moveTo(cursor);
    const { lastTurnId: turnId = "" } = this.mirror;
    const live = this.stream.restore(reading.sessionId, {
      type: "snapshot",
      ...reading.live,
      turnId,
    });
    const isLive = reading.live.message !== undefined || reading.live.toolOutputs.length > 0;
    if (isLive) this.#tell(live, cursor);
  }

  #tell(event: SessionEvent, cursor: Cursor): void {
    for (const { listener } of this.#subscriptions) {
      try {
        listener?.(event, cursor);
      } catch {
        // A listener's failure must not affect the others.
      }
    }
  }

  #refreshSoon(): void {
    const goneCount = this.#goneCount;
    background(this.refresh(), (thrown) => {
      if (goneCount === this.#goneCount) this.#onFailed(thrown);
    });
  }

  /** Reports permanent failures. The stream reports temporary ones. */
  #onFailed(thrown: unknown): void {
    if (thrown instanceof ClientError && !thrown.isPassing) this.onLost(thrown);
  }
}

function without<T>(list: readonly T[], item: T): readonly T[] {
  return list.filter((other) => other !== item);
}

/** A session in this process: its log, its readers, and the work on it while this process holds the lease. */
import type { AgentEvent } from "@capstan/kernel";
import { background, serializeError } from "@capstan/kernel";
import type {
  Claim,
  CompactionOutcome,
  EntryOf,
  Lease,
  LiveFrame,
  PlacedEvent,
  QueueOutcome,
  Wakeup,
} from "@capstan/log";
import { andThen, isPromise, orElse } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { nameOf, toModel } from "../models/model.ts";
import { OutputReader } from "../outputs/output-reader.ts";
import { ContextSize } from "../context/token-count.ts";
import { Owner } from "../owner/owner.ts";
import { HeldLease } from "../owner/held-lease.ts";
import { Readers } from "../following/readers.ts";
import type { Slot } from "./slots.ts";
import { Receipts } from "../following/receipts.ts";
import {
  SessionError,
  closed,
  deleted,
  failed,
  isLeftToOthers,
  setAsideFor,
  toFailure,
} from "../errors/session-error.ts";
import { SessionFaults } from "./session-faults.ts";
import type { SessionHost } from "../session/session-host.ts";
import { SessionLog } from "../owner/session-log.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import { giveBack, setAside } from "../owner/unusable-claim.ts";
import { callbackMs, within } from "../platform/within.ts";

export class SessionRuntime {
  readonly id: string;
  readonly log: SessionLog;
  readonly readers: Readers;
  readonly faults: SessionFaults;
  readonly receipts: Receipts<QueueOutcome>;
  /** Receipts of requested compactions. */
  readonly compactions: Receipts<CompactionOutcome>;
  readonly outputs: OutputReader;
  readonly #host: SessionHost;
  readonly #size: ContextSize;
  /** Set from the moment this process gets the lease until it is released. */
  #heldLease: HeldLease | undefined;
  #owner: Owner | undefined;
  /** Epoch of the last lease this process held. */
  #lastEpoch: number | undefined;
  #isClaiming = false;
  #wasIdle = true;
  #idleWaiters: PromiseWithResolvers<void>[] = [];
  #isClosed: boolean;
  /** Set if the session is gone: the reason. */
  #gone: SessionError | undefined;
  /** End of the turn for which `settled` was emitted. */
  #settled: EntryOf<"turn_ended"> | undefined;
  /** Whether callers in this process may hold a handle of the session. */
  #isAttended = false;
  /** Whether another process follows the live events. */
  #isFollowed = false;
  /** Dependencies that tools keep while the session is open here. */
  #scope: DependencyScope | undefined;
  /** Models passed to the session in this process; the log has only their names. */
  #models: readonly Model[] = [];
  /** Turn and epoch whose live frames this process subscribed to. */
  #following = "";
  #unsubscribe: (() => void) | undefined;

  constructor(id: string, host: SessionHost, isClosed = false) {
    this.id = id;
    this.#isClosed = isClosed;
    this.#host = host;
    this.log = new SessionLog({
      id,
      repository: host.repository,
      clock: host.clock,
      onEvents: (events) => this.#show(events),
      onChange: () => this.#onChange(),
      onGone: (why) => this.#drop(why.code === "not_found" ? deleted(id) : failed(id, why)),
    });
    this.faults = new SessionFaults(id, host);
    this.readers = new Readers((error) => host.report({ error, where: "listener", sessionId: id }));
    const { fold } = this.log;
    this.receipts = new Receipts((id) => fold.queues.outcomeOf(id));
    this.compactions = new Receipts((id) => fold.compactions.outcomeOf(id));
    this.#size = new ContextSize(fold);
    this.outputs = new OutputReader(this.log);
  }

  /** A caller here has a handle: the session is kept in memory, and notified of entries by other processes. */
  attend(): void {
    this.#isAttended = true;
    if (this.#unsubscribe === undefined) this.#listen();
  }

  /** Reads the log and resumes unfinished work, unless another process does. */
  async open(): Promise<void> {
    this.attend();
    try {
      await this.log.catchUp();
      this.#agent();
    } catch (thrown) {
      await this.#leave();
      throw thrown;
    }
    this.wake();
  }

  /** Works under a lease that the host acquired. */
  adopt(claim: Claim, askedAt: number, slot?: Slot): void {
    if (this.#isOfAnother(claim)) {
      this.#drop(deleted(this.id));
      return this.#host.adopt(claim, askedAt, slot);
    }
    const { setAside: aside } = claim.head;
    // Responses of a store may overtake each other: a newer lease of this process has fenced this one.
    const isStale = claim.lease.epoch < (this.#lastEpoch ?? 0);
    if (this.#isClosed || aside !== undefined || isStale) slot?.free(false);
    if (this.#isClosed) return giveBack(claim, this.#host.repository);
    if (aside !== undefined) return this.#refuse(claim, aside.reason);
    if (isStale) return;
    // This lease was requested twice: the store has fenced the first.
    this.#heldLease?.lose();
    const heldLease = new HeldLease(claim, this.#host, askedAt);
    this.#heldLease = heldLease;
    this.#lastEpoch = claim.lease.epoch;
    this.log.noteHead(claim.head);
    this.log.feed.own(claim.lease.epoch);
    this.#wasIdle = false;
    this.#isFollowed = false;
    background(this.#work(heldLease, claim, slot), (thrown) =>
      this.readers.fail(toFailure(this.id, thrown)),
    );
  }

  /** No host works on a session that was set aside. */
  #refuse(claim: Claim, reason: string): void {
    giveBack(claim, this.#host.repository);
    this.faults.backOff(this.log.now());
    this.#tell(setAsideFor(this.id, reason));
    if (!this.#isAttended) background(this.#leave(), () => {});
  }

  /** The session was released, or may be worked on again. */
  onReleased(): void {
    this.faults.reset();
    this.wake();
  }

  /** Drops the handle in this process. Work in progress continues to its end; after that the session takes no memory. */
  async detach(): Promise<void> {
    this.#isAttended = false;
    if (!this.#isWorking && !this.#isClaiming) await this.#leave();
  }

  /** Releases the lease in the middle of the work in progress: another host resumes it. */
  async close(why: string): Promise<void> {
    this.#isClosed = true;
    await this.#heldLease?.release();
    if (this.#isWaitedFor) this.#tell(closed(this.id, why));
    await this.#leave();
  }

  /** The session was deleted here: fails the remaining handles and readers. */
  onDeleted(): void {
    this.#drop(deleted(this.id));
  }

  /** True if the session was found deleted, or replaced by another one: its state in memory is invalid. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Throws if the session was closed in this process, or is gone. */
  mustBeOpen(): void {
    if (this.#gone !== undefined) throw this.#gone;
    if (this.#isClosed) throw closed(this.id, `Session ${this.id} was closed here`);
  }

  #isOfAnother({ head }: Claim): boolean {
    const { incarnation } = this.log;
    if (incarnation === undefined || head.incarnation === undefined) return false;
    return incarnation !== head.incarnation;
  }

  #drop(why: SessionError): void {
    if (this.#gone !== undefined) return;
    this.#gone = why;
    this.#isClosed = true;
    this.#tell(why);
    this.readers.end(why);
    this.receipts.end(why);
    this.compactions.end(why);
    const leave = async (): Promise<void> => {
      const left = this.#leave();
      // This may be a lease of the new session, which another runtime can use.
      await this.#heldLease?.release();
      await left;
    };
    background(leave(), () => {});
  }

  get #isWaitedFor(): boolean {
    const hasReceipts = !this.receipts.isEmpty || !this.compactions.isEmpty;
    return hasReceipts || !this.readers.isEmpty || this.#idleWaiters.length > 0;
  }

  /** Fails everything that callers still wait for here. */
  #tell(why: SessionError): void {
    this.readers.fail(why);
    this.receipts.fail(why);
    this.compactions.fail(why);
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const { reject } of waiters) reject(why);
  }

  /** Remembers a model that was passed as an object, not by name. */
  remember(choice: ModelChoice | undefined): void {
    if (choice === undefined || typeof choice === "string") return;
    const model = toModel(choice);
    const others = this.#models.filter((known) => nameOf(known) !== nameOf(model));
    this.#models = [...others, model];
  }

  get models(): readonly Model[] {
    return this.#models;
  }

  /**
   * Claims the session if it has work and this process is not doing it. `isPoll`: no caller asked for it now, so a session that failed
   * backs off.
   */
  wake(isPoll = false): void {
    if (this.#isClosed || this.#isWorking || this.#isClaiming || this.#isAtRest()) return;
    if (isPoll && this.faults.isBackingOff(this.log.now())) return;
    this.#isClaiming = true;
    this.#wasIdle = false;
    // Only after the caller has returned: it may want to subscribe first.
    queueMicrotask(() => this.#claim());
  }

  /** Called periodically, for readers of work done in other processes: a wake-up may have been lost. */
  poll(): void {
    if (!this.#isWorking && this.#isWaitedFor && this.#unsubscribe !== undefined) {
      this.#catchUpLater();
    }
  }

  async waitForIdle(): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
    if (this.#isIdle()) return;
    const waiter = Promise.withResolvers<void>();
    this.#idleWaiters.push(waiter);
    await waiter.promise;
  }

  /** Subscribes to live events of the process that runs the turn, once per turn and owner, if this process has readers. */
  follow(): void {
    const { turn } = this.log.fold;
    if (this.#isWorking || this.#isClaiming) return;
    if (turn?.isOver !== false || this.readers.isEmpty || this.#unsubscribe === undefined) return;
    const following = `${turn.turnId} ${turn.epoch ?? ""}`;
    if (following === this.#following) return;
    this.#following = following;
    this.#listen(true);
  }

  #agent(): Agent {
    return this.#host.agent(this.log.fold.created?.agent ?? "");
  }

  #claim(): void {
    const { repository, owner, leaseMs, clock } = this.#host;
    const askedAt = clock.now();
    const onClaim = (claim: Claim | undefined): void => {
      this.#isClaiming = false;
      if (claim !== undefined) this.adopt(claim, askedAt);
      else if (!this.#isAttended) background(this.#leave(), () => {});
      this.follow();
    };
    // If the store fails now, the session stays due.
    const claimed = orElse(
      () => andThen(repository.acquire(this.id, owner, leaseMs), onClaim),
      () => {
        this.#isClaiming = false;
      },
    );
    if (isPromise(claimed)) background(claimed, () => {});
  }

  async #work(heldLease: HeldLease, claim: Claim, slot: Slot | undefined): Promise<void> {
    let isDone = false;
    try {
      if (this.#unsubscribe === undefined) this.#listen();
      // The head of an older version has no incarnation; the log does.
      const isUnsure = claim.head.incarnation === undefined && claim.lastSeq > 0;
      if (claim.lastSeq !== this.log.fold.seq || isUnsure) await this.log.catchUp();
      const { clock } = this.#host;
      const agent = this.#agent();
      const owner = new Owner({
        agent,
        log: this.log,
        heldLease,
        clock,
        sessionScope: (this.#scope ??= agent.createScope()),
        outputs: this.outputs,
        size: this.#size,
        models: () => this.#models,
        onLive: (event) => this.#showLive(event, heldLease),
        maxResumes: this.#host.maxResumes,
        solitary: this.#host.solitary,
        onFault: (fault) => this.faults.report(fault),
        onPause: (isPaused) => slot?.pause(isPaused),
      });
      this.#owner = owner;
      isDone = await owner.work();
      if (isDone) this.faults.reset();
    } catch (thrown) {
      await this.#giveUp(claim, heldLease, thrown);
      throw thrown;
    } finally {
      slot?.free(isDone);
      await this.#rest(heldLease, isDone);
    }
  }

  /** Sets the session aside, because no host can continue it. If that cannot be recorded, its lease is left to expire. */
  async #giveUp(claim: Claim, heldLease: HeldLease, thrown: unknown): Promise<void> {
    const sessionId = this.id;
    if (isLeftToOthers(thrown))
      return this.faults.report({ error: thrown, where: "store", sessionId });
    if (thrown instanceof SessionError && thrown.code !== "engine_failed") return;
    // The owner has reported its own errors.
    if (this.#owner === undefined)
      this.faults.report({ error: thrown, where: "engine", sessionId });
    try {
      await setAside(claim, this.#host, serializeError(thrown).message);
      this.#host.onSetAside();
    } catch (error) {
      if (!isLeftToOthers(error)) this.faults.report({ error, where: "engine", sessionId });
      heldLease.lose();
      this.faults.backOff(this.log.now());
    }
  }

  /** Releases the lease, and checks whether an entry arrived just before. After a failure, a host that finds the session due does that. */
  async #rest(heldLease: HeldLease, isDone: boolean): Promise<void> {
    const releasing = heldLease.release();
    const released = isPromise(releasing) ? await releasing : releasing;
    // Another lease may have replaced it.
    if (this.#heldLease !== heldLease) return;
    this.#heldLease = undefined;
    this.#owner = undefined;
    if (isDone && released !== undefined) {
      if (released.lastSeq > this.log.fold.seq) await this.log.catchUp();
      this.wake();
    }
    this.#onChange();
    if (!this.#isAttended && this.#isIdle()) await this.#leave();
  }

  /** Drops the session from memory, because this process has no handle of it, until it is due again. */
  async #leave(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#host.forget(this);
    const disposed = this.#scope?.end();
    this.#scope = undefined;
    if (!isPromise(disposed)) return;
    // The scope logs errors of `dispose`. One that hangs must not keep the session in memory.
    await within(this.#host.clock.timer, callbackMs, disposed, "dispose").catch(() => {});
  }

  #isAtRest(): boolean {
    return this.log.fold.isAtRest(this.log.now());
  }

  get #isWorking(): boolean {
    return this.#heldLease !== undefined;
  }

  #isIdle(): boolean {
    return !this.#isWorking && !this.#isClaiming && this.#isAtRest();
  }

  #show(events: readonly PlacedEvent[]): void {
    for (const event of events) {
      if (event.event.type === "error") this.#noteFailed(event.event);
      this.readers.show(event);
    }
  }

  /** Reports the failed turn, unless a listener gets its error event. */
  #noteFailed(event: Extract<AgentEvent, { readonly type: "error" }>): void {
    if (!this.#isWorking || this.readers.hasListeners) return;
    this.faults.reportTurn(event, this.readers.handlesOf(event.turnId));
  }

  #showLive(event: AgentEvent, { lease }: HeldLease): void {
    const placed = this.log.feed.live(event);
    this.readers.show(placed);
    if (this.#isFollowed) this.#sendLive(lease, this.log.feed.toFrame([placed]));
  }

  #onChange(): void {
    this.#owner?.onChange();
    this.receipts.update();
    this.compactions.update();
    this.follow();
    const isIdle = this.#isIdle();
    const isRest = isIdle && !this.#wasIdle;
    // Before callers are notified: what they do then leads back here.
    this.#wasIdle = isIdle;
    if (isRest) this.#settle();
  }

  /** Called when nothing more will happen by itself. */
  #settle(): void {
    const { turnId, end } = this.log.fold.turn ?? {};
    if (turnId !== undefined && end !== undefined && end !== this.#settled) {
      this.#settled = end;
      const settled = { type: "settled", conversationId: this.id, turnId } as const;
      this.readers.show(this.log.feed.live(settled));
    }
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const { resolve } of waiters) resolve();
  }

  #listen(isLive = false): void {
    this.#unsubscribe?.();
    const listener = (wakeup: Wakeup): void => this.#onWakeup(wakeup);
    this.#unsubscribe = this.#host.repository.subscribe(this.id, listener, { isLive });
  }

  #onWakeup(wakeup: Wakeup): void {
    switch (wakeup.type) {
      case "changed":
        if (!this.log.isAppending && this.#isNews(wakeup)) this.#catchUpLater();
        return;
      case "followed":
        return this.#sendSnapshot();
      case "live": {
        // This process's own frames come back to it, and may be late.
        if (this.#isWorking || wakeup.frame.epoch === this.#lastEpoch) return;
        const events = this.log.feed.frame(wakeup.frame);
        if (events === "gap") return this.#listen(true);
        return events === "ahead" ? this.#catchUpLater() : this.#show(events);
      }
      default:
        return wakeup satisfies never;
    }
  }

  #isNews({ lastSeq = Infinity, incarnation }: Extract<Wakeup, { type: "changed" }>): boolean {
    if (lastSeq > this.log.fold.seq) return true;
    return incarnation !== undefined && incarnation !== this.log.incarnation;
  }

  #catchUpLater(): void {
    const catchUp = async (): Promise<void> => this.log.catchUp();
    // A wake-up that cannot be followed counts as lost.
    background(catchUp(), () => {});
  }

  #sendSnapshot(): void {
    if (this.#owner === undefined || this.#heldLease === undefined) return;
    this.#isFollowed = true;
    // Between two turns there is nothing live.
    if (this.log.fold.turn?.isOver !== false) return;
    this.#sendLive(this.#heldLease.lease, this.log.feed.snapshotFrame());
  }

  #sendLive(lease: Lease, frame: LiveFrame | undefined): void {
    if (frame !== undefined) this.#host.repository.sendLive?.(lease, frame);
  }
}

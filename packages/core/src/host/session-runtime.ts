/** A session in this process: what it knows of the log, who reads it here, and the work on it while the lease is ours. */
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
  /** Of those who asked for a compaction. */
  readonly compactions: Receipts<CompactionOutcome>;
  readonly outputs: OutputReader;
  readonly #host: SessionHost;
  readonly #size: ContextSize;
  /** From the moment in which we got the lease to that in which it is given back. */
  #heldLease: HeldLease | undefined;
  #owner: Owner | undefined;
  /** Of the last lease that we had. */
  #lastEpoch: number | undefined;
  #isClaiming = false;
  #wasIdle = true;
  #idleWaiters: PromiseWithResolvers<void>[] = [];
  #isClosed: boolean;
  /** Why, if it is gone. */
  #gone: SessionError | undefined;
  /** The end of a turn of which we said that nothing follows it. */
  #settled: EntryOf<"turn_ended"> | undefined;
  /** Whether somebody in this process may have a handle of the session. */
  #isAttended = false;
  /** Whether somebody elsewhere wants what no entry tells. */
  #isFollowed = false;
  /** What tools keep for as long as the session is open here. */
  #scope: DependencyScope | undefined;
  /** Handed to the session in this process, which has only their names in its log. */
  #models: readonly Model[] = [];
  /** The turn and epoch whose live frames we asked for. */
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

  /** Somebody here has a handle: the session is kept, and hears of what others write. */
  attend(): void {
    this.#isAttended = true;
    if (this.#unsubscribe === undefined) this.#listen();
  }

  /** Reads the log and goes on with what is unfinished, unless another process does. */
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

  /** Works under a lease that the host was given. */
  adopt(claim: Claim, askedAt: number, slot?: Slot): void {
    if (this.#isOfAnother(claim)) {
      this.#drop(deleted(this.id));
      return this.#host.adopt(claim, askedAt, slot);
    }
    const { setAside: aside } = claim.head;
    // Answers of a store may overtake each other: the lease that we have had since has fenced this one.
    const isStale = claim.lease.epoch < (this.#lastEpoch ?? 0);
    if (this.#isClosed || aside !== undefined || isStale) slot?.free(false);
    if (this.#isClosed) return giveBack(claim, this.#host.repository);
    if (aside !== undefined) return this.#refuse(claim, aside.reason);
    if (isStale) return;
    // A lease that we asked for twice: the store has fenced the first.
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

  /** This process has no handle any more. Work under way continues to its end; then the session takes no memory. */
  async detach(): Promise<void> {
    this.#isAttended = false;
    if (!this.#isWorking && !this.#isClaiming) await this.#leave();
  }

  /** Gives the lease back in the middle of whatever is under way: another host goes on with it. */
  async close(why: string): Promise<void> {
    this.#isClosed = true;
    await this.#heldLease?.release();
    if (this.#isWaitedFor) this.#tell(closed(this.id, why));
    await this.#leave();
  }

  /** The session was deleted here: handles and readers that are left are told so. */
  onDeleted(): void {
    this.#drop(deleted(this.id));
  }

  /** Whether the session was found to be deleted, or to be another one by now: nothing that is known of it here counts any more. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Fails where the session was let go of in this process. */
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
      // Perhaps a lease of the new session, which another runtime can use.
      await this.#heldLease?.release();
      await left;
    };
    background(leave(), () => {});
  }

  get #isWaitedFor(): boolean {
    const hasReceipts = !this.receipts.isEmpty || !this.compactions.isEmpty;
    return hasReceipts || !this.readers.isEmpty || this.#idleWaiters.length > 0;
  }

  /** Whoever waits for something here waits no longer. */
  #tell(why: SessionError): void {
    this.readers.fail(why);
    this.receipts.fail(why);
    this.compactions.fail(why);
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const { reject } of waiters) reject(why);
  }

  /** A model that was given as it is, and not by its name. */
  remember(choice: ModelChoice | undefined): void {
    if (choice === undefined || typeof choice === "string") return;
    const model = toModel(choice);
    const others = this.#models.filter((known) => nameOf(known) !== nameOf(model));
    this.#models = [...others, model];
  }

  get models(): readonly Model[] {
    return this.#models;
  }

  /** Claims the session if it has something to do and nobody here does it. `isPoll`: no caller wants it now, so one that failed is left alone for a while. */
  wake(isPoll = false): void {
    if (this.#isClosed || this.#isWorking || this.#isClaiming || this.#isAtRest()) return;
    if (isPoll && this.faults.isBackingOff(this.log.now())) return;
    this.#isClaiming = true;
    this.#wasIdle = false;
    // Not before who wakes us has returned: they may want to listen.
    queueMicrotask(() => this.#claim());
  }

  /** From time to time, for those who read here what is done elsewhere: a wake-up may have been lost. */
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

  /** Asks the process that runs the turn for what no entry tells, once for each turn and owner, if somebody here wants it. */
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
      // An older head does not tell whose it is: the log does.
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

  /** No host can go on with the session as it is: it is set aside. If not even that can be recorded, its lease is left to run out. */
  async #giveUp(claim: Claim, heldLease: HeldLease, thrown: unknown): Promise<void> {
    const sessionId = this.id;
    if (isLeftToOthers(thrown))
      return this.faults.report({ error: thrown, where: "store", sessionId });
    if (thrown instanceof SessionError && thrown.code !== "engine_failed") return;
    // The owner has reported what it threw.
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

  /** Gives the lease back, and looks whether something came just before. After a failure that is left to who finds it due. */
  async #rest(heldLease: HeldLease, isDone: boolean): Promise<void> {
    const releasing = heldLease.release();
    const released = isPromise(releasing) ? await releasing : releasing;
    // Another lease may have taken its place.
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

  /** This process has no handle of this session: it takes no memory until it is due again. */
  async #leave(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#host.forget(this);
    const disposed = this.#scope?.end();
    this.#scope = undefined;
    if (!isPromise(disposed)) return;
    // The scope logs what a `dispose` throws. One that hangs must not keep the session in memory.
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

  /** A listener gets the error as it comes. */
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
    // Before anybody is told: what they do then comes back here.
    this.#wasIdle = isIdle;
    if (isRest) this.#settle();
  }

  /** Nothing more will happen by itself. */
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
        // Our own come back to us, and may be late.
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
    // A wake-up that cannot be followed is one that was lost.
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

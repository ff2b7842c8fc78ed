/** A session in this process: its log, its readers, and the work on it while this process holds the lease. */
import { background } from "@capstan/kernel";
import type {
  Claim,
  EntryOf,
  EventListener,
  MaybePromise,
  PlacedEvent,
  Posted,
  PostedBody,
  RepositoryError,
  SessionRepository,
} from "@capstan/log";
import { isPromise } from "@capstan/log";
import type { GivenObjects } from "../models/given-objects.ts";
import { nothingGiven, withGiven } from "../models/given-objects.ts";
import { OutputReader } from "../outputs/output-reader.ts";
import { Readers } from "../following/readers.ts";
import { LiveEvents } from "./live-events.ts";
import type { Slot } from "./slots.ts";
import type { SessionError } from "../errors/session-error.ts";
import {
  closed,
  deleted,
  failed,
  isForNoHost,
  setAsideFor,
  toFailure,
} from "../errors/session-error.ts";
import { SessionFaults } from "./session-faults.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionLogOptions } from "../owner/session-log.ts";
import { SessionLog } from "../owner/session-log.ts";
import type { SessionWorkOptions } from "./session-work.ts";
import { SessionWork } from "./session-work.ts";
import { giveBack } from "../owner/unusable-claim.ts";
import type { Clock } from "../platform/clock.ts";
import { callbackMs, within } from "../platform/within.ts";
import { WaitingCallers } from "./waiting-callers.ts";
import { Wakeups } from "./wakeups.ts";

export class SessionRuntime implements SessionLogOptions, SessionWorkOptions {
  readonly id: string;
  readonly log: SessionLog;
  readonly readers: Readers;
  readonly faults: SessionFaults;
  readonly outputs: OutputReader;
  readonly live: LiveEvents;
  readonly wakeups: Wakeups;
  readonly waiting: WaitingCallers;
  readonly #host: SessionHost;
  readonly #work: SessionWork;
  #wasIdle = true;
  #isClosed: boolean;
  /** Set if the session is gone: the reason. */
  #gone: SessionError | undefined;
  /** End of the turn for which `settled` was emitted. */
  #settled: EntryOf<"turn_ended"> | undefined;
  /** Whether this process found work of another process unfinished, and the session has not come to rest since. */
  #isResuming = false;
  /** Whether callers in this process may hold a handle of the session. */
  #isAttended = false;
  /** Number of readers that keep the session in memory without a handle. */
  #holds = 0;
  /** Models and tools passed to the session in this process; the log has only their names. */
  #given: GivenObjects = nothingGiven;

  constructor(id: string, host: SessionHost, isClosed = false) {
    this.id = id;
    this.#isClosed = isClosed;
    this.#host = host;
    this.log = new SessionLog(this);
    this.faults = new SessionFaults(id, host);
    this.readers = new Readers(host, id);
    this.waiting = new WaitingCallers(this.log, this.readers);
    this.outputs = new OutputReader(this.log);
    const { log, readers } = this;
    const { repository } = host;
    this.live = new LiveEvents(log, readers, repository);
    this.#work = new SessionWork(this);
    this.wakeups = new Wakeups({ repository, log, readers, live: this.live, work: this.#work });
  }

  get host(): SessionHost {
    return this.#host;
  }

  get repository(): SessionRepository {
    return this.#host.repository;
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get isFromCheckpoint(): boolean {
    return this.#host.isContextOnly;
  }

  /** A caller here has a handle: the session is kept in memory, and notified of entries by other processes. */
  attend(): void {
    this.#isAttended = true;
    this.wakeups.begin();
  }

  /** Keeps the session in memory, like a handle, until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    this.wakeups.begin();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      // The scope logs errors of `dispose`, and nothing else can fail.
      if (!this.isAttended && !this.#work.isUnderWay) background(this.#leave(), () => {});
    };
  }

  /** Reads the log and resumes unfinished work, unless another process does. `isHeld`: for a reader without a handle. */
  async open(isHeld = false): Promise<void> {
    if (!isHeld) this.attend();
    const isUnknown = this.log.fold.seq === 0;
    try {
      await this.log.catchUp();
      // Throws `unknown_agent`.
      this.#host.agent(this.log.fold.agent);
    } catch (thrown) {
      // A reader releases its hold instead: others may use the session.
      if (!isHeld) await this.#leave();
      throw thrown;
    }
    if (isUnknown && !this.#isAtRest()) this.#isResuming = true;
    this.wake();
  }

  /** Whether the store had the session when this process looked last. */
  get isStored(): boolean {
    return this.log.fold.seq > 0 && !this.isGone;
  }

  /** Whether callers in this process may hold a handle of the session, or follow it. */
  get isAttended(): boolean {
    return this.#isAttended || this.#holds > 0;
  }

  /** Whether nothing runs here, and nothing will start by itself. */
  get isIdle(): boolean {
    return !this.#work.isUnderWay && this.#isAtRest();
  }

  /** Calls the listener with every event from now on, on behalf of the runtime itself. Returns a function that unsubscribes. */
  listen(listener: EventListener): () => void {
    const stop = this.readers.add(listener, undefined);
    this.wakeups.follow();
    return stop;
  }

  /** The caller that opened the session has no handle, but holds it. */
  dropHandle(): void {
    this.#isAttended = false;
  }

  /** Whether this process holds the lease, or asks for it. */
  get isWorking(): boolean {
    return this.#work.isUnderWay;
  }

  /**
   * Resolves once the session, whose unfinished turn this process resumes, is at rest. Undefined if there is no such turn, or another host
   * runs it.
   */
  resumedRest(): Promise<void> | undefined {
    if (!this.#isResuming || this.isIdle) return undefined;
    if (this.#work.isHolding) return this.waitForIdle();
    return this.#work.isUnderWay ? this.#claimedRest() : undefined;
  }

  async #claimedRest(): Promise<void> {
    await this.waiting.until("claimed");
    await this.resumedRest();
  }

  /** Works under a lease that the host acquired. */
  adopt(claim: Claim, askedAt: number, slot?: Slot): void {
    if (this.#isOfAnother(claim)) {
      this.#drop(deleted(this.id));
      return this.#host.adopt(claim, askedAt, slot);
    }
    const { setAside: aside } = claim.head;
    // Responses of a store may overtake each other: a newer lease of this process has fenced this one.
    const isStale = claim.lease.epoch < (this.#work.lastEpoch ?? 0);
    if (this.#isClosed || aside !== undefined || isStale) slot?.free(false);
    if (this.#isClosed) return giveBack(claim, this.#host.repository);
    if (aside !== undefined) return this.#refuse(claim, aside.reason);
    if (isStale) return;
    this.#wasIdle = false;
    if (this.log.fold.seq === 0) this.#isResuming = true;
    this.#work.begin(claim, askedAt, slot);
  }

  /** No host works on a session that was set aside. */
  #refuse(claim: Claim, reason: string): void {
    giveBack(claim, this.#host.repository);
    this.faults.backOff(this.log.now());
    this.waiting.block(setAsideFor(this.id, reason));
    if (!this.isAttended) background(this.#leave(), () => {});
  }

  /** The session was released, or may be worked on again. */
  onReleased(): void {
    this.waiting.unblock();
    this.faults.reset();
    this.wake();
  }

  /** Drops the handle in this process. Work in progress continues to its end; after that the session takes no memory. */
  async detach(): Promise<void> {
    this.#isAttended = false;
    if (!this.isAttended && !this.#work.isUnderWay) await this.#leave();
  }

  /** Takes no more work. Resolves when the work in progress has ended, or was left to other hosts before its next effect. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    await this.#work.drain();
  }

  /** Releases the lease in the middle of the work in progress: another host resumes it. */
  async close(why: string): Promise<void> {
    this.#isClosed = true;
    await this.#work.release();
    this.waiting.end(() => closed(this.id, why));
    await this.#leave();
  }

  /** The session was deleted here: fails the remaining handles and readers. */
  onDeleted(): void {
    this.#drop(deleted(this.id));
  }

  /** The session was closed to be deleted, and the store failed: readers may open it again. */
  onNotDeleted(): void {
    this.readers.end(
      closed(this.id, `Session ${this.id} could not be deleted, and was closed here`),
    );
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

  onGone(why: RepositoryError): void {
    this.#drop(why.code === "not_found" ? deleted(this.id) : failed(this.id, why));
  }

  #drop(why: SessionError): void {
    if (this.#gone !== undefined) return;
    this.#gone = why;
    this.#isClosed = true;
    this.waiting.end(() => why);
    this.readers.end(why);
    const leave = async (): Promise<void> => {
      const left = this.#leave();
      // This may be a lease of the new session, which another runtime can use.
      await this.#work.release();
      await left;
    };
    background(leave(), () => {});
  }

  /** Remembers a model and tools that were passed as objects, not by name. */
  remember(choices: Parameters<typeof withGiven>[1]): void {
    this.#given = withGiven(this.#given, choices);
  }

  get given(): GivenObjects {
    return this.#given;
  }

  /**
   * Claims the session if it has work and this process is not doing it. `isPoll`: no caller asked for it now, so a session that failed
   * backs off.
   */
  wake(isPoll = false): void {
    if (this.#isClosed || this.#work.isUnderWay || this.#isAtRest()) return;
    if (isPoll && this.faults.isBackingOff(this.log.now())) return;
    this.#wasIdle = false;
    this.#work.claim();
  }

  /** Posts an entry. If it starts work that this process may do, the lease is asked for in the same write. */
  post(id: string, body: PostedBody): MaybePromise<Posted> {
    const isStart = body.type === "input" || body.type === "steer" || body.type === "follow_up";
    const isAsked = isStart && !this.#isClosed && this.#work.mayClaim && this.#isAtRest();
    if (!isAsked) return this.log.post(id, body);
    this.#wasIdle = false;
    return this.#work.postAndClaim(id, body);
  }

  /** Another session of this process has posted the entry with this seq here. */
  onPosted(seq: number): void {
    // The store's wake-up mostly comes first.
    if (this.log.fold.seq >= seq) return this.wake();
    const read = async (): Promise<void> => {
      await this.log.catchUp();
      this.wake();
    };
    // If the store fails now, the session stays due.
    background(read(), () => {});
  }

  /** Called periodically, for readers of work done in other processes: a wake-up may have been lost. */
  poll(): void {
    if (!this.#work.isHolding && !this.waiting.isEmpty) this.wakeups.poll();
  }

  async waitForIdle(): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
    if (this.isIdle) return;
    await this.waiting.untilAtRest("idle");
  }

  /** Likewise, until no child works in the background, either. */
  async waitForChildren(): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
    if (this.isIdle && !this.#hasWorkingChild) return;
    await this.waiting.untilAtRest("children_at_rest");
  }

  onClaim(claim: Claim | undefined, askedAt: number): void {
    if (claim !== undefined) this.adopt(claim, askedAt);
    else if (!this.isAttended) background(this.#leave(), () => {});
    this.onUnclaimed();
    this.wakeups.follow();
  }

  onUnclaimed(): void {
    this.waiting.reach("claimed");
  }

  onBegin(): void {
    this.waiting.unblock();
    this.wakeups.begin();
  }

  /** The work ended, and the log does not say so. It concerns more than the handles only if no other host can continue it. */
  onFailed(thrown: unknown): void {
    const why = toFailure(this.id, thrown);
    if (isForNoHost(thrown)) this.waiting.block(why);
    else this.readers.fail(why);
  }

  /** Checks whether an entry arrived just before the lease was released. */
  async onRest(lastSeq: number | undefined): Promise<void> {
    if (lastSeq !== undefined) {
      if (lastSeq > this.log.fold.seq) await this.log.catchUp();
      this.wake();
    }
    this.onChange();
    if (!this.isAttended && this.isIdle) await this.#leave();
  }

  /** Drops the session from memory, because this process has no handle of it, until it is due again. */
  async #leave(): Promise<void> {
    this.wakeups.end();
    this.#host.forget(this);
    const disposed = this.#work.endScope();
    if (!isPromise(disposed)) return;
    // The scope logs errors of `dispose`. One that hangs must not keep the session in memory.
    await within(this.#host.clock.timer, callbackMs, disposed, "dispose").catch(() => {});
  }

  #isAtRest(): boolean {
    return this.log.fold.isAtRest(this.log.now());
  }

  onEvents(events: readonly PlacedEvent[]): void {
    // A listener gets the error event of a failed turn.
    if (this.#work.isHolding && !this.readers.hasListeners) {
      for (const { event } of events) {
        if (event.type !== "error") continue;
        this.faults.reportTurn(event, this.readers.handlesOf(event.turnId));
      }
    }
    this.readers.showAll(events);
  }

  onChange(): void {
    this.waiting.unblock();
    this.#work.onChange();
    this.waiting.update();
    this.wakeups.follow();
    const isIdle = this.isIdle;
    const isRest = isIdle && !this.#wasIdle;
    // Before callers are notified: what they do then leads back here.
    this.#wasIdle = isIdle;
    if (isIdle) this.#isResuming = false;
    if (isRest) this.#settle();
    if (isIdle && !this.#hasWorkingChild) this.waiting.reach("children_at_rest");
  }

  get #hasWorkingChild(): boolean {
    return this.log.fold.children.isWorking;
  }

  /** Called when nothing more will happen by itself. */
  #settle(): void {
    const { turnId, end } = this.log.fold.turn ?? {};
    if (turnId !== undefined && end !== undefined && end !== this.#settled) {
      this.#settled = end;
      const settled = { type: "settled", sessionId: this.id, turnId } as const;
      this.readers.show(this.log.feed.live(settled));
    }
    if (this.readers.isEmpty) this.log.feed.forgetRecent();
    this.log.feed.trim();
    this.waiting.reach("idle");
  }
}

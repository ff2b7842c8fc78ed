/** The work on a session in this process: claims its lease, runs its owner, and releases the lease. */
import { background, serializeError } from "@capstan/kernel";
import type { Claim, InputBody, MaybePromise, Posted, PostedBody } from "@capstan/log";
import { andThen, isPromise, orElse } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { ChildCalls } from "../children/child-calls.ts";
import { OtherAgents } from "../tools/other-agents.ts";
import { ContextSize } from "../context/token-count.ts";
import { isForNoHost, isLeftToOthers } from "../errors/session-error.ts";
import type { Readers } from "../following/readers.ts";
import type { GivenObjects } from "../models/given-objects.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import { contextOfSession } from "../owner/context-of-turn.ts";
import { DraftedTurn, mayBeDrafted } from "../owner/drafted-turn.ts";
import { Envelopes } from "../owner/envelopes.ts";
import { HeldLease } from "../owner/held-lease.ts";
import { Owner } from "../owner/owner.ts";
import type { SessionLog } from "../owner/session-log.ts";
import { setAside } from "../owner/unusable-claim.ts";
import type { SessionHost } from "../session/session-host.ts";
import { override } from "../tools/dependency.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { LiveEvents } from "./live-events.ts";
import type { SessionFaults } from "./session-faults.ts";
import type { Slot } from "./slots.ts";

export interface SessionWorkOptions {
  readonly host: SessionHost;
  readonly log: SessionLog;
  readonly readers: Readers;
  readonly live: LiveEvents;
  readonly faults: SessionFaults;
  readonly outputs: OutputReader;
  /** Models and tools passed to the session in this process. */
  readonly given: GivenObjects;
  /** Receives the lease that was asked for at this time; undefined if another host has it. */
  onClaim(claim: Claim | undefined, askedAt: number): void;
  /** Called if the store could not be asked for the lease. */
  onUnclaimed(): void;
  /** Called before the work begins. */
  onBegin(): void;
  /** Called with the failure that ended the work, after the lease was released. */
  onFailed(thrown: unknown): void;
  /** Called when the lease was released. `lastSeq` is the end of the log then, if the work was done. */
  onRest(lastSeq: number | undefined): Promise<void>;
}

/** Work that began before its lease. */
interface DraftedWork {
  readonly draft: DraftedTurn;
  readonly heldLease: HeldLease;
  readonly owner: Owner;
  readonly working: Promise<boolean>;
  readonly claim: Claim;
  readonly isStarted: boolean;
}

/** Work that comes first. */
interface EarlierWork {
  readonly drafted: DraftedWork | undefined;
  /** Under the last lease: its turn is over, and what its tools used may still be disposed of. */
  readonly ending: Promise<void> | undefined;
}

/** Declared here because a function made in `#postDraft` would keep all variables of that until the work ends. */
const ignore = (): void => {};

export class SessionWork {
  readonly #options: SessionWorkOptions;
  readonly #size: ContextSize;
  /** Set from the moment this process gets the lease until it is released. */
  #heldLease: HeldLease | undefined;
  #owner: Owner | undefined;
  /** The work under the last lease. */
  #working: Promise<void> | undefined;
  /** Epoch of the last lease this process held. */
  #lastEpoch: number | undefined;
  #isClaiming = false;
  /** Turn that was posted under the claim that has just come. */
  #drafted: DraftedWork | undefined;
  /** Dependencies that tools keep while the session is open here. */
  #scope: { readonly agent: Agent; readonly scope: DependencyScope } | undefined;

  /** Calls that child sessions work on. Created with the first: few sessions have any. */
  #children: ChildCalls | undefined;
  #slot: Slot | undefined;

  constructor(options: SessionWorkOptions) {
    this.#options = options;
    this.#size = new ContextSize(options.log.fold);
  }

  /** Whether this process holds the lease. */
  get isHolding(): boolean {
    return this.#heldLease !== undefined;
  }

  /** Whether this process holds the lease, or asks for it. */
  get isUnderWay(): boolean {
    return this.isHolding || this.#isClaiming;
  }

  /**
   * Whether the lease may be asked for. Also if it was released with the end of a turn and only the work of this process has to end: callers
   * often send the next message as soon as they have the response.
   */
  get mayClaim(): boolean {
    return !this.#isClaiming && (!this.isHolding || this.#isEnding);
  }

  get #isEnding(): boolean {
    return this.#heldLease?.isReleased === true;
  }

  /** The lease, if the owner works under it. */
  get ownedLease(): HeldLease | undefined {
    return this.#owner && this.#heldLease;
  }

  get lastEpoch(): number | undefined {
    return this.#lastEpoch;
  }

  /** Asks for the lease. If the store fails now, the session stays due. */
  claim(): void {
    this.#isClaiming = true;
    // Only after the caller has returned: it may want to subscribe first.
    queueMicrotask(() => this.#claim());
  }

  /** Posts an entry that starts work, and asks for the lease in the same write. The turn of an input is started in it, if possible. */
  postAndClaim(id: string, body: PostedBody): MaybePromise<Posted> {
    const { host, log } = this.#options;
    const { owner, leaseMs: ttlMs, clock } = host;
    const agent = this.#draftingAgent(body);
    if (agent !== undefined && body.type === "input") return this.#postDraft(id, body, agent);
    const askedAt = clock.now();
    this.#isClaiming = true;
    const onPosted = (posted: Posted): Posted => {
      const { claim } = posted;
      if (claim === undefined) this.#isClaiming = false;
      // Only after the caller has returned: it may want to subscribe first.
      else queueMicrotask(() => this.#onClaim(claim, askedAt));
      return posted;
    };
    return orElse(
      () => andThen(log.post(id, body, { owner, ttlMs }), onPosted),
      (thrown) => {
        this.#isClaiming = false;
        this.#options.onUnclaimed();
        throw thrown;
      },
    );
  }

  /** The agent, if it may plan the turn of this entry before the entry is posted. */
  #draftingAgent(body: PostedBody): Agent | undefined {
    const { host, log } = this.#options;
    if (body.type !== "input" || !mayBeDrafted(log.fold, body)) return undefined;
    // A checkpoint is the state after the input.
    if (log.isCheckpointDue(host.checkpointAfter)) return undefined;
    try {
      return host.agent(log.fold.agent);
    } catch {
      // Another host has the agent.
      return undefined;
    }
  }

  #postDraft(id: string, body: InputBody, agent: Agent): MaybePromise<Posted> {
    const { host, log } = this.#options;
    const askedAt = host.clock.now();
    this.#isClaiming = true;
    const heldLease = new HeldLease(undefined, host, askedAt);
    const terms = { owner: host.owner, ttlMs: host.leaseMs };
    const draft = new DraftedTurn({ id, body, log, heldLease, terms });
    const owner = this.#createOwner(agent, heldLease, draft.envelopes, undefined);
    const working = owner.work(draft);
    // The work under the lease waits for it, and reports its failure.
    background(working, ignore);
    const onPosted = (posted: Posted): Posted => {
      const { claim, isStarted = false } = posted;
      if (claim === undefined) {
        this.#isClaiming = false;
        draft.drop();
        return posted;
      }
      const drafted = { draft, heldLease, owner, working, claim, isStarted };
      // Only after the caller has returned: it may want to subscribe first.
      queueMicrotask(() => this.#onClaim(claim, askedAt, drafted));
      return posted;
    };
    return orElse(
      () => andThen(draft.post(), onPosted),
      (thrown) => {
        this.#isClaiming = false;
        draft.drop();
        this.#options.onUnclaimed();
        throw thrown;
      },
    );
  }

  #claim(): void {
    const { host, log } = this.#options;
    const { repository, owner, leaseMs, clock } = host;
    const askedAt = clock.now();
    const claimed = orElse(
      () =>
        andThen(repository.acquire(log.id, owner, leaseMs), (claim) =>
          this.#onClaim(claim, askedAt),
        ),
      () => {
        this.#isClaiming = false;
        this.#options.onUnclaimed();
      },
    );
    if (isPromise(claimed)) background(claimed, () => {});
  }

  #onClaim(claim: Claim | undefined, askedAt: number, drafted?: DraftedWork): void {
    this.#isClaiming = false;
    this.#drafted = drafted;
    this.#options.onClaim(claim, askedAt);
    this.#drafted = undefined;
    // Nothing happens if the work has begun under this claim.
    if (drafted !== undefined && drafted.heldLease !== this.#heldLease) drafted.draft.drop();
  }

  /** Works under this lease until nothing is left to do, or the lease is lost. */
  begin(claim: Claim, askedAt: number, slot: Slot | undefined): void {
    const { host, log } = this.#options;
    const ending = this.#isEnding ? this.#working : undefined;
    // This lease was requested twice: the store has fenced the first.
    this.#heldLease?.lose();
    const drafted = this.#drafted?.claim === claim ? this.#drafted : undefined;
    drafted?.heldLease.take(claim, askedAt);
    const heldLease = drafted?.heldLease ?? new HeldLease(claim, host, askedAt);
    this.#heldLease = heldLease;
    this.#owner = undefined;
    this.#lastEpoch = claim.lease.epoch;
    log.noteHead(claim.head);
    log.feed.own(claim.lease.epoch);
    this.#working = this.#work(heldLease, claim, slot, { drafted, ending });
    background(this.#working, (thrown) => this.#options.onFailed(thrown));
  }

  /** Releases the lease before the next effect. Resolves when the work has ended. */
  async drain(): Promise<void> {
    this.#heldLease?.leave();
    // `begin` has told the readers of a failure.
    await this.#working?.catch(() => {});
  }

  /** Releases the lease in the middle of the work. */
  async release(): Promise<void> {
    await this.#heldLease?.release();
  }

  /** Called when entries were folded. */
  onChange(): void {
    this.#owner?.onChange();
    this.#children?.onChange();
  }

  /** Scope for the agent that has the session. */
  #scopeOf(agent: Agent): DependencyScope {
    const { log } = this.#options;
    const known = this.#scope;
    if (known?.agent === agent) return known.scope;
    // The scope of an agent that handed the session over ends in the background: it logs its own errors.
    const ended = known?.scope.end();
    if (isPromise(ended)) background(ended, () => {});
    const services = agent.usesAgents ? [override(OtherAgents, () => this.#childCalls())] : [];
    const scope = agent.createScope(contextOfSession(log), services);
    this.#scope = { agent, scope };
    return scope;
  }

  #childCalls(): ChildCalls {
    const { host, log } = this.#options;
    return (this.#children ??= new ChildCalls({
      host,
      log,
      append: (bodies) => this.#owner?.append(bodies),
      appendWithResult: (bodies) => this.#owner?.appendWithNext(bodies),
      onWaiting: (isWaiting) => this.pause(isWaiting),
    }));
  }

  /** Ends the dependencies that tools keep while the session is open here. */
  endScope(): MaybePromise<void> {
    const scope = this.#scope;
    this.#scope = undefined;
    return scope?.scope.end();
  }

  #createOwner(
    agent: Agent,
    heldLease: HeldLease,
    envelopes: Envelopes,
    before: Owner | undefined,
  ): Owner {
    const { host, log, live, outputs, faults } = this.#options;
    // Few functions: each owner would keep them while its turn runs.
    return new Owner({
      agent,
      log,
      heldLease,
      envelopes,
      openedTurnId: before?.openedTurnId,
      clock: host.clock,
      host,
      sessionScope: this.#scopeOf(agent),
      outputs,
      size: this.#size,
      session: this.#options,
      emit: (event) => live.show(event, heldLease),
      maxResumes: host.maxResumes,
      solitary: host.solitary,
      faults,
      work: this,
    });
  }

  /** Gives up the slot while the work waits. */
  pause(isPaused: boolean): void {
    this.#slot?.pause(isPaused);
  }

  async #work(
    heldLease: HeldLease,
    claim: Claim,
    slot: Slot | undefined,
    { drafted, ending }: EarlierWork,
  ): Promise<void> {
    const { host, log, faults } = this.#options;
    let isDone = false;
    try {
      // It has reported its own failure.
      if (ending !== undefined) await ending.catch(() => {});
      this.#slot = slot;
      this.#options.onBegin();
      // The head of an older version has no incarnation; the log does.
      const isUnsure = claim.head.incarnation === undefined && claim.lastSeq > 0;
      if (drafted !== undefined) await this.#beginDraft(drafted);
      else if (claim.lastSeq !== log.fold.seq || isUnsure) await log.catchUp();
      const envelopes = drafted?.draft.envelopes ?? new Envelopes(log, heldLease.lease.epoch);
      let owner = drafted?.owner;
      if (drafted !== undefined) isDone = await drafted.working;
      while (owner === undefined || (isDone && owner.isHandedOff)) {
        const agent = host.agent(log.fold.agent);
        owner = this.#createOwner(agent, heldLease, envelopes, owner);
        this.#owner = owner;
        isDone = await owner.work();
      }
      if (isDone) faults.reset();
    } catch (thrown) {
      await this.#giveUp(claim, heldLease, thrown);
      throw thrown;
    } finally {
      slot?.free(isDone);
      await this.#rest(heldLease, isDone);
    }
  }

  #beginDraft({ draft, owner, claim, isStarted }: DraftedWork): MaybePromise<void> {
    this.#owner = owner;
    return orElse(
      () => draft.begin(claim, isStarted),
      (thrown) => {
        this.#owner = undefined;
        draft.drop();
        throw thrown;
      },
    );
  }

  /** Sets the session aside, because no host can continue it. If that cannot be recorded, its lease is left to expire. */
  async #giveUp(claim: Claim, heldLease: HeldLease, thrown: unknown): Promise<void> {
    const { host, log, faults } = this.#options;
    const sessionId = log.id;
    if (isLeftToOthers(thrown)) return faults.report({ error: thrown, where: "store", sessionId });
    if (!isForNoHost(thrown)) return;
    // The owner has reported its own errors.
    if (this.#owner === undefined) faults.report({ error: thrown, where: "engine", sessionId });
    try {
      await setAside(claim, host, serializeError(thrown).message);
      host.onSetAside();
    } catch (error) {
      if (!isLeftToOthers(error)) faults.report({ error, where: "engine", sessionId });
      heldLease.lose();
      faults.backOff(log.now());
    }
  }

  /** Releases the lease. After a failure, a host that finds the session due looks for entries that arrived just before. */
  async #rest(heldLease: HeldLease, isDone: boolean): Promise<void> {
    const releasing = heldLease.release();
    const released = isPromise(releasing) ? await releasing : releasing;
    // Another lease may have replaced it.
    if (this.#heldLease !== heldLease) return;
    this.#heldLease = undefined;
    this.#owner = undefined;
    await this.#options.onRest(isDone ? released?.lastSeq : undefined);
  }
}

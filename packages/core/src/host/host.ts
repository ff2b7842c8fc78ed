/** Runs the sessions of known agents on one repository. Any number of hosts, in any number of processes, may share it. */
import type { Logger } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type {
  ListQuery,
  RepairedSession,
  SalvagedLog,
  SessionPage,
  SessionRepository,
} from "@capstan/log";
import { newId as randomId, repairSession, salvageLog } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../platform/clock.ts";
import { idleTimerOf, systemClock } from "../platform/clock.ts";
import { checkHistory } from "../input/check-history.ts";
import type { OnFault } from "./host-fault.ts";
import { FaultReports } from "./host-fault.ts";
import { checkSessionId } from "../input/input.ts";
import { defaultMaxResumes, defaultMaxTurns } from "../platform/limits.ts";
import { problemOfNumbers } from "../platform/option-numbers.ts";
import { Slots } from "./slots.ts";
import { Solitary } from "../owner/solitary.ts";
import { Renewals } from "../owner/renewals.ts";
import { Session } from "../session/session.ts";
import { SessionError, toSessionError } from "../errors/session-error.ts";
import type { SessionHost, SessionOrigin } from "../session/session-host.ts";
import type { RestoreOptions } from "../session/copies.ts";
import { storeSnapshot } from "../session/copies.ts";
import { SessionRuntime } from "./session-runtime.ts";
import type { SessionSettings } from "../session/session-settings.ts";
import { toConfig } from "../session/session-settings.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import { release } from "../owner/unusable-claim.ts";

export interface HostOptions {
  readonly agents: readonly Agent[];
  readonly repository: SessionRepository;
  readonly clock?: Clock;
  /** How long the session of a dead owner stays locked. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * How often to look for due sessions, and for news of sessions that are read here and run elsewhere. Default 1,000. `Infinity` disables
   * polling: the host then depends on wake-ups alone, which may get lost.
   */
  readonly pollMs?: number;
  /**
   * Maximum number of concurrent turns of sessions that this host claimed by itself; sessions that are sent to or opened here do not count.
   * Default 1,000. As soon as one ends, the next due session is claimed.
   */
  readonly maxTurns?: number;
  /**
   * How often a turn is resumed, by any host, without a message or a result in between, before it ends with `resume_limit`. Default 8. The
   * third resume waits for a second, each later one twice as long, up to a minute.
   */
  readonly maxResumes?: number;
  /** Name of this process in leases. Default: random. */
  readonly owner?: string;
  readonly newId?: () => string;
  /**
   * Receives failures that reach no caller: of the runtime and the store, of listeners that throw, of turns whose error no caller looked
   * at. Default: the agent's logger, or one warning on the console per cause.
   */
  readonly onError?: OnFault;
}

export interface NewSession extends Omit<SessionOrigin, "config"> {
  /** Default: random. */
  readonly id?: string;
  /** Settings that override those of the agent. */
  readonly config?: SessionSettings;
}

export class Host {
  readonly #host: SessionHost;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #runtimes = new Map<string, SessionRuntime>();
  readonly #pollMs: number;
  #nextPollMs: number;
  /** Whether the host belongs to one session that brought it along, and ignores all others. */
  readonly #isForOne: boolean;
  readonly #faults: FaultReports;
  readonly #slots: Slots;
  /** The search for due sessions in progress. */
  #search: Promise<void> | undefined;
  /** Whether the last search ended because no slot was free: more sessions may be due. */
  #isMoreDue = false;
  #setAsideCount = 0;
  /** Whether the last search for due sessions failed: an outage is reported once. */
  #isSearchFailing = false;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  constructor(options: HostOptions, isForOne = false) {
    const { agents, repository, clock = systemClock } = options;
    checkHostOptions(options);
    const { leaseMs = 30_000, pollMs = 1_000, newId = randomId } = options;
    const { maxTurns = defaultMaxTurns, maxResumes = defaultMaxResumes } = options;
    this.#slots = new Slots(maxTurns, () => this.#onFreeSlot());
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#pollMs = pollMs;
    this.#nextPollMs = pollMs;
    this.#isForOne = isForOne;
    this.#faults = new FaultReports(options.onError, (id) => this.#loggerOf(id));
    this.#host = {
      report: (fault) => this.#faults.report(fault),
      onSetAside: () => {
        this.#setAsideCount += 1;
      },
      repository,
      clock,
      owner: options.owner ?? newId(),
      leaseMs,
      maxResumes,
      solitary: new Solitary(),
      renewals: new Renewals(clock, leaseMs),
      newId,
      agent: (name) => this.#agent(name),
      forget: (runtime) => this.#forget(runtime),
      open: (id) => this.#open(id),
      leave: (runtime) => this.#leave(runtime),
      adopt: (claim, askedAt, slot) =>
        this.#runtime(claim.lease.sessionId).adopt(claim, askedAt, slot),
    };
    this.#pollLater();
  }

  /** Creates a session. Nothing is stored before its first send. Throws `unknown_agent`. */
  createSession({ id, config, ...origin }: NewSession): Session {
    this.#mustBeOpen();
    const agent = this.#agent(origin.agent);
    if (origin.history !== undefined) checkHistory(origin.history);
    const chosen = config && { config: toConfig(config, agent) };
    const sessionId = id === undefined ? this.#host.newId() : checkSessionId(id);
    if (this.#runtimes.has(sessionId)) throw exists(sessionId);
    const runtime = this.#runtime(sessionId);
    runtime.remember(config?.model);
    return new Session(runtime, this.#host, { ...origin, ...chosen });
  }

  /** Opens a stored session. An unfinished turn resumes by itself. Fails with `not_found` and `unknown_agent`. */
  async open(id: string): Promise<Session> {
    return new Session(await this.#open(id), this.#host);
  }

  /**
   * Stores a session from a snapshot of `session.snapshot`, taken here or elsewhere, under its id. By default nothing in the snapshot runs
   * or decides anything; see `RestoreOptions`. Fails with `exists`, `invalid_input` and `unknown_agent`.
   */
  async restore(snapshot: SessionSnapshot, options: RestoreOptions = {}): Promise<Session> {
    this.#mustBeOpen();
    checkSessionId(snapshot.id);
    const [onlyAgent, another] = this.#agents.keys();
    await storeSnapshot(this.#host, snapshot, {
      ...options,
      onlyAgent: another === undefined ? onlyAgent : undefined,
    });
    return this.open(snapshot.id);
  }

  get agents(): readonly Agent[] {
    return [...this.#agents.values()];
  }

  /** Number of sessions that this host has set aside, because no host can continue them. `list` has the reasons. */
  get setAsideCount(): number {
    return this.#setAsideCount;
  }

  /** Lists stored sessions, newest first, a page at a time. */
  async list(query: ListQuery = {}): Promise<SessionPage> {
    this.#mustBeOpen();
    return this.#host.repository.list(query);
  }

  /**
   * Returns the principal of a stored session, of any agent and in any state; undefined if it has none. Does not read the rest of the log.
   * Fails with `not_found`.
   */
  async principalOf(id: string): Promise<string | undefined> {
    this.#mustBeOpen();
    try {
      const { entries } = await this.#host.repository.read(id, { limit: 1 });
      const principal = entries[0]?.type === "created" ? entries[0]["principal"] : undefined;
      return typeof principal === "string" ? principal : undefined;
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
  }

  /**
   * Removes a session with all its data. A turn in progress stops, in whichever process it runs. Does nothing if there is no such session.
   */
  async delete(id: string): Promise<void> {
    this.#mustBeOpen();
    const runtime = this.#runtimes.get(id);
    await runtime?.close(`Session ${id} was deleted`);
    await this.#host.repository.delete(id);
    runtime?.onDeleted();
  }

  /**
   * Lets hosts work again on a session that was set aside (`SessionHead.setAside`); its unfinished turn resumes. Returns false if it is not
   * set aside, or another host holds it. Fails with `not_found`.
   */
  async release(id: string): Promise<boolean> {
    this.#mustBeOpen();
    let isReleased: boolean;
    try {
      isReleased = await release(id, this.#host);
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
    if (isReleased) this.#runtimes.get(id)?.onReleased();
    return isReleased;
  }

  /** Reads the readable part of a damaged session, which `open` refuses; writes nothing. `lost` names the rest. Fails with `not_found`. */
  async readDamaged(id: string): Promise<SalvagedLog> {
    this.#mustBeOpen();
    try {
      return await salvageLog(this.#host.repository, id);
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
  }

  /**
   * Creates a new session from the intact beginning of a damaged one, up to its last complete step; the damaged one stays unchanged.
   * Returns undefined if the session is not damaged. Fails with `not_found`; with a `LogError` if nothing intact is left.
   */
  async repair(id: string): Promise<(RepairedSession & { readonly id: string }) | undefined> {
    this.#mustBeOpen();
    const { repository, clock, newId } = this.#host;
    const copy = { id: newId(), incarnation: newId(), now: clock.now() };
    try {
      const repaired = await repairSession(repository, id, copy);
      return repaired && { ...repaired, id: copy.id };
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
  }

  /**
   * Claims due sessions and works on them, as many as there are free slots. The host does so by itself, periodically and as soon as a slot
   * is free again.
   */
  async claimDue(): Promise<void> {
    // One search at a time: two would share the same slots.
    this.#search ??= this.#claimAll().finally(() => {
      this.#search = undefined;
    });
    await this.#search;
  }

  async #claimAll(): Promise<void> {
    const { repository, owner, leaseMs: ttlMs, clock, renewals } = this.#host;
    const agents = [...this.#agents.keys()];
    while (!this.#isClosed) {
      const limit = Math.min(this.#slots.free, claimsAtOnce);
      this.#isMoreDue = limit === 0;
      if (limit === 0) return;
      // Otherwise a process that only slept would find its own sessions due, and take them from itself.
      await renewals.confirm();
      const askedAt = clock.now();
      const claims = await repository.claimDue({ agents, owner, ttlMs, limit });
      for (const claim of claims) {
        // A host that was closed in the meantime releases them.
        this.#runtime(claim.lease.sessionId).adopt(claim, askedAt, this.#slots.take());
      }
      if (claims.length < limit) return this.#foresee(agents);
    }
  }

  /** Plans the next search: at the next poll, or when a lease expires before it. */
  async #foresee(agents: readonly string[]): Promise<void> {
    const nextMs = (await this.#host.repository.nextDueInMs?.(agents)) ?? Infinity;
    this.#nextPollMs = Math.min(this.#pollMs, Math.max(nextMs, minPollMs));
  }

  #onFreeSlot(): void {
    if (!this.#isMoreDue || this.#isClosed) return;
    this.#isMoreDue = false;
    // A search that is about to end has seen that there was no slot.
    const ended = this.#search ?? Promise.resolve();
    background(
      ended.then(() => this.#searchLater()),
      () => {},
    );
  }

  /** If the store fails, the next poll tries again. */
  #searchLater(onOver = (): void => {}): void {
    const search = this.claimDue().then(() => {
      this.#isSearchFailing = false;
    });
    background(search.finally(onOver), (error) => {
      if (!this.#isSearchFailing) this.#faults.report({ error, where: "claim" });
      this.#isSearchFailing = true;
    });
  }

  /** Stops this host: its work in progress is handed over to other hosts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    const runtimes = [...this.#runtimes.values()];
    await Promise.all(runtimes.map((runtime) => runtime.close("The host was closed")));
    this.#host.renewals.close();
    this.#runtimes.clear();
  }

  async #open(id: string): Promise<SessionRuntime> {
    this.#mustBeOpen();
    const runtime = this.#runtime(id);
    try {
      await runtime.open();
      return runtime;
    } catch (thrown) {
      // This runtime knew another session: a new one reads the session that has the id now.
      if (!runtime.isGone) throw toSessionError(id, thrown);
    }
    return this.#openAnew(id);
  }

  async #openAnew(id: string): Promise<SessionRuntime> {
    const runtime = this.#runtime(id);
    try {
      await runtime.open();
      return runtime;
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
  }

  #runtime(id: string): SessionRuntime {
    let runtime = this.#runtimes.get(id);
    if (runtime === undefined) {
      runtime = new SessionRuntime(id, this.#host, this.#isClosed);
      this.#runtimes.set(id, runtime);
    }
    return runtime;
  }

  async #leave(runtime: SessionRuntime): Promise<void> {
    if (this.#isForOne) return this.close();
    await runtime.close(`Session ${runtime.id} was closed here`);
  }

  #forget(runtime: SessionRuntime): void {
    if (this.#runtimes.get(runtime.id) === runtime) this.#runtimes.delete(runtime.id);
  }

  #agent(name: string): Agent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return agent;
    const known = [...this.#agents.keys()].join(", ");
    throw new SessionError(
      "unknown_agent",
      `This host has no agent "${name}": add it to createHost({ agents }). Known agents: ${known}`,
    );
  }

  /** Logger of the session's agent, or of the only agent if there is no session. */
  #loggerOf(sessionId: string | undefined): Logger | undefined {
    const name = sessionId && this.#runtimes.get(sessionId)?.log.fold.created?.agent;
    const agents = this.agents;
    const agent = this.#agents.get(name ?? "") ?? (agents.length === 1 ? agents[0] : undefined);
    return agent?.logger;
  }

  #mustBeOpen(): void {
    if (this.#isClosed)
      throw new SessionError(
        "host_closed",
        "This host was closed: create another with createHost, and open the session there",
      );
  }

  /** The deadline of a call may have passed. */
  #wakeOwn(): void {
    for (const runtime of this.#runtimes.values()) runtime.wake(true);
    this.#pollLater();
  }

  #pollLater(): void {
    if (this.#isClosed || this.#pollMs === Infinity) return;
    this.#cancelPoll = idleTimerOf(this.#host.clock)(this.#nextPollMs, () => {
      this.#nextPollMs = this.#pollMs;
      for (const runtime of this.#runtimes.values()) runtime.poll();
      if (this.#isForOne) return this.#wakeOwn();
      this.#searchLater(() => this.#pollLater());
    });
  }
}

/** Sessions claimed by one call of the store: a host that is about to be killed should not hold many that it has not started. */
const claimsAtOnce = 100;

/** Minimum time between two searches, if the store predicts the next due time. */
const minPollMs = 20;

export function createHost(options: HostOptions): Host {
  return new Host(options);
}

function checkHostOptions(options: HostOptions): void {
  const problem = problemOfNumbers(options, { leaseMs: "above 0", pollMs: "above 0" });
  if (problem !== undefined) throw new SessionError("invalid_input", `The host's ${problem}`);
}

function exists(sessionId: string): SessionError {
  const message = `Session "${sessionId}" already exists: open it, or choose another id`;
  return new SessionError("exists", message, { sessionId });
}

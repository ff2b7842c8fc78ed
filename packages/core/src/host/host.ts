/** Runs the sessions of known agents on one repository. Any number of hosts, in any number of processes, may share it. */
import type { Logger } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { ListQuery, RepairedSession, SalvagedLog, SessionPage } from "@capstan/log";
import {
  isRepositoryError,
  newId as randomId,
  ReleasingMap,
  repairSession,
  salvageLog,
} from "@capstan/log";
import type { Agent, TypesOf } from "../agent/agent.ts";
import type { AgentTypes } from "../agent/agent-types.ts";
import { withAllAgents } from "../tools/other-agents.ts";
import { systemClock } from "../platform/clock.ts";
import type { HistoryMessage } from "../input/check-history.ts";
import { toHistory } from "../input/check-history.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostCloseOptions, HostRunOptions } from "./run-host.ts";
import { drain, drainMsOf, runHost } from "./run-host.ts";
import { checkHostOptions } from "./host-options.ts";
import { FaultReports } from "./host-fault.ts";
import { checkSessionId } from "../input/input.ts";
import { defaultCheckpointAfter, defaultMaxResumes, defaultMaxTurns } from "../platform/limits.ts";
import { DueSessions } from "./due-sessions.ts";
import type { SessionStart } from "./open-or-create.ts";
import { OpenOrCreate } from "./open-or-create.ts";
import { Solitary } from "../owner/solitary.ts";
import { Renewals } from "../owner/renewals.ts";
import { Session } from "../session/session.ts";
import {
  SessionError,
  alreadyExists,
  deleted,
  exists,
  mustBeOptions,
  toSessionError,
} from "../errors/session-error.ts";
import type {
  FollowedSession,
  RecordedStart,
  SessionHost,
  SessionOrigin,
} from "../session/session-host.ts";
import type { RestoreOptions } from "../session/copies.ts";
import { checkSnapshot } from "../session/check-snapshot.ts";
import { storeSnapshot } from "../session/copies.ts";
import { SessionRuntime } from "./session-runtime.ts";
import type { SessionSettings } from "../session/session-settings.ts";
import { toConfig } from "../session/session-settings.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import { abandonStored } from "../owner/abandon-stored.ts";
import { release } from "../owner/unusable-claim.ts";

/** Values that a session is created with. `app`, the application context, is required if the agent has an `appContext`, and refused if it has none. */
export type NewSession<Known extends AgentTypes = AgentTypes> = SessionFields<Known> &
  Known["appField"];

/** Fields of a new session. */
export interface SessionFields<Known extends AgentTypes = AgentTypes> extends Omit<
  SessionOrigin,
  "agent" | "config" | "app" | "history"
> {
  readonly agent: Known["name"];
  /** Default: random. */
  readonly id?: string;
  /** Settings that override those of the agent. */
  readonly config?: SessionSettings<Known["toolName"]>;
  /** Messages from before the session was created. Those without an id get one. */
  readonly history?: readonly HistoryMessage[];
}

/** Types of the agents of a host, by name. */
export interface HostAgents {
  readonly [name: string]: AgentTypes;
}

/** Likewise, of a list of agents. */
export type AgentsByName<Agents extends readonly Agent[]> = {
  readonly [Subject in Agents[number] as Subject["name"]]: TypesOf<Subject>;
};

/** `Agents` has the types of its agents by name, `Stored` those of any of them. */
export class Host<
  out Agents extends HostAgents = HostAgents,
  out Stored extends AgentTypes = AgentTypes,
> {
  readonly #host: SessionHost;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #runtimes = new ReleasingMap<string, SessionRuntime>();
  /** Whether the host belongs to one session that brought it along, and ignores all others. */
  readonly #isForOne: boolean;
  readonly #faults: FaultReports;
  readonly #due: DueSessions;
  readonly #openOrCreate = new OpenOrCreate(this);
  #setAsideCount = 0;
  #isClosed = false;
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: HostOptions, isForOne = false, isPassing = false) {
    checkHostOptions(options);
    const { agents, repository, clock = systemClock } = options;
    const { leaseMs = 10_000, pollMs = 1_000, newId = randomId } = options;
    const { maxTurns = defaultMaxTurns, maxResumes = defaultMaxResumes } = options;
    this.#agents = new Map(withAllAgents(agents).map((agent) => [agent.name, agent]));
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
      isPassing,
      isContextOnly: options.reads === "context",
      checkpointAfter: options.checkpointAfter ?? defaultCheckpointAfter,
      maxResumes,
      solitary: new Solitary(),
      renewals: new Renewals(clock, leaseMs),
      newId,
      agent: (name) => this.#agent(name),
      forget: (runtime) => this.#forget(runtime),
      open: (id) => this.#open(id),
      openChild: (id, origin, start) => this.#openChild(id, origin, start),
      follow: (id) => this.#follow(id),
      isOpening: (id) => this.#openOrCreate.opening(id) !== undefined,
      use: (id, work) => this.#use(id, work),
      lookForWork: (id, seq) => this.#lookForWork(id, seq),
      release: (id) => this.release(id),
      leave: (runtime) => this.#leave(runtime),
      adopt: (claim, askedAt, slot) =>
        this.#runtime(claim.lease.sessionId).adopt(claim, askedAt, slot),
    };
    this.#due = new DueSessions({
      host: this.#host,
      agents: [...this.#agents.keys()],
      pollMs,
      maxTurns,
      isSearching: !isForOne,
      adopt: this.#host.adopt,
      onPoll: () => this.#onPoll(),
    });
  }

  /** Creates a session. Nothing is stored before its first send. Throws `unknown_agent` and `invalid_input`. */
  createSession<Name extends keyof Agents & string>(
    init: { readonly agent: Name } & NewSession<Agents[NoInfer<Name>]>,
  ): Session<Agents[Name]> {
    this.#mustBeOpen();
    mustBeOptions(init, "host.createSession");
    const { id, config, app, history, ...origin }: NewSession = init;
    const agent = this.#agent(origin.agent);
    const past = history && { history: toHistory(history, this.#host.newId) };
    const hasApp = agent.appContext !== undefined || app !== undefined;
    const given = hasApp && { app: agent.toStoredApp(app) };
    const chosen = config && { config: toConfig(config, agent) };
    const sessionId = id === undefined ? this.#host.newId() : checkSessionId(id);
    if (this.#runtimes.has(sessionId)) throw exists(sessionId, alreadyExists);
    const runtime = this.#runtime(sessionId);
    runtime.remember(config ?? {});
    return new Session(runtime, this.#host, { ...origin, ...chosen, ...given, ...past });
  }

  /**
   * Opens the stored session with this id, or creates it, also if several processes do so at once. The other fields count only if it is
   * created. An unfinished turn resumes by itself. Fails with `exists` if the session belongs to another agent or principal, and with
   * `unknown_agent`.
   */
  async session<Name extends keyof Agents & string>(
    id: string,
    start: { readonly agent: Name } & SessionStart<Agents[NoInfer<Name>]>,
  ): Promise<Session<Agents[Name]>> {
    this.#mustBeOpen();
    mustBeOptions(start, "host.session");
    this.#agent(start.agent);
    checkSessionId(id);
    const session = await this.#openOrCreate.session(id, start);
    // It belongs to the agent with this name.
    return session as Session<Agents[Name]>;
  }

  /** Opens a stored session. An unfinished turn resumes by itself. Fails with `not_found` and `unknown_agent`. */
  async open(id: string): Promise<Session<Stored>> {
    return new Session(await this.#open(id), this.#host);
  }

  /**
   * Stores a session from a snapshot of `session.snapshot`, taken here or elsewhere, under its id. By default nothing in the snapshot runs
   * or decides anything; see `RestoreOptions`. Fails with `exists`, `invalid_input` and `unknown_agent`.
   */
  async restore(snapshot: SessionSnapshot, options: RestoreOptions = {}): Promise<Session<Stored>> {
    this.#mustBeOpen();
    checkSnapshot(snapshot);
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
   * Removes a session with all its data, and its child sessions. A turn in progress stops, in whichever process it runs. Does nothing if there
   * is no such session.
   */
  async delete(id: string): Promise<void> {
    this.#mustBeOpen();
    for (const child of await this.#childrenOf(id)) await this.delete(child);
    const runtime = this.#runtimes.get(id);
    await runtime?.close(`Session ${id} was deleted`);
    try {
      await this.#host.repository.delete(id);
    } catch (thrown) {
      runtime?.onNotDeleted();
      throw thrown;
    }
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

  /**
   * Drops the unfinished turn of a stored session, like `session.abandon`, also if this host does not have its agent. Resolves once the turn
   * has ended, with false if there was none. Fails with `not_found`.
   */
  async abandon(id: string, reason?: string): Promise<boolean> {
    this.#mustBeOpen();
    const runtime = this.#runtimes.get(id);
    if (runtime !== undefined) return new Session(runtime, this.#host).abandon(reason);
    try {
      return await abandonStored(id, this.#host, reason);
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
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
    await this.#due.claim();
  }

  /**
   * Works on due sessions until the process gets SIGTERM or SIGINT, `signal` aborts, or the host is closed, and keeps the process alive until
   * then. Resolves once the host is drained and closed; a second signal closes it without draining. Fails with `host_closed`.
   */
  async run(options: HostRunOptions = {}): Promise<void> {
    this.#mustBeOpen();
    await runHost(this, this.#closed.promise, options);
  }

  /**
   * Stops this host: it claims nothing more, and its work in progress is handed over to other hosts. With `drainMs` the model and tool calls in
   * progress may end and are recorded first.
   */
  async close(options: HostCloseOptions = {}): Promise<void> {
    const drainMs = drainMsOf(options);
    this.#isClosed = true;
    this.#due.close();
    if (drainMs > 0) await drain(this.#runtimes.values(), drainMs, this.#host.clock.timer);
    const runtimes = [...this.#runtimes.values()];
    await Promise.all(runtimes.map((runtime) => runtime.close("The host was closed")));
    this.#host.renewals.close();
    this.#runtimes.clear();
    this.#closed.resolve();
  }

  async #open(id: string): Promise<SessionRuntime> {
    this.#mustBeOpen();
    const runtime = this.#runtime(id);
    try {
      await runtime.open();
      if (this.#isForOne) this.#openChildren(runtime);
      return runtime;
    } catch (thrown) {
      // This runtime knew another session: a new one reads the session that has the id now.
      if (!runtime.isGone) throw toSessionError(id, thrown);
    }
    return this.#openAnew(id);
  }

  async #openChild(
    id: string,
    origin: SessionOrigin,
    start: RecordedStart | undefined,
  ): Promise<FollowedSession> {
    this.#mustBeOpen();
    const wasAttended = this.#runtimes.get(id)?.isAttended === true;
    await this.#openOrCreate.session(id, origin, start);
    const runtime = this.#runtime(id);
    const release = runtime.hold();
    if (!wasAttended) runtime.dropHandle();
    return { runtime, release };
  }

  async #use<T>(id: string, work: (runtime: SessionRuntime) => Promise<T>): Promise<T> {
    const followed = await this.#follow(id);
    if (followed === undefined) throw deleted(id);
    try {
      return await work(followed.runtime);
    } finally {
      followed.release();
    }
  }

  /** Looks before it opens: a runtime without a stored session would be in the way of the process that is about to create it. */
  async #follow(id: string): Promise<FollowedSession | undefined> {
    this.#mustBeOpen();
    let release: (() => void) | undefined;
    try {
      const opened = await this.#opened(id);
      if (opened !== undefined) return { runtime: opened, release: opened.hold() };
      await this.#host.repository.read(id, { limit: 1 });
      const runtime = this.#runtime(id);
      release = runtime.hold();
      await runtime.open(true);
      return { runtime, release };
    } catch (thrown) {
      release?.();
      if (isRepositoryError(thrown) && thrown.code === "not_found") return undefined;
      throw toSessionError(id, thrown);
    }
  }

  /** The session, if a caller here is about to open or create it and succeeds: it needs no read. */
  async #opened(id: string): Promise<SessionRuntime | undefined> {
    const opening = this.#openOrCreate.opening(id);
    if (opening === undefined) return undefined;
    // The opener gets its error.
    await opening.catch(() => {});
    const runtime = this.#runtimes.get(id);
    return runtime?.isStored === true ? runtime : undefined;
  }

  /** A session that this process has in memory is woken by its store; others are claimed. */
  #lookForWork(id: string, seq: number): void {
    const runtime = this.#runtimes.get(id);
    // If the store fails now, or the session is gone, nothing is lost: what is due stays due.
    if (runtime !== undefined) runtime.onPosted(seq);
    else background(this.#isForOne ? this.#open(id) : this.#due.claim(), () => {});
  }

  /** A host that does not search for due sessions has to know the children that work in the background. */
  #openChildren({ log }: SessionRuntime): void {
    for (const child of log.fold.children.all) {
      // One that cannot be opened now stays due, and its deadline ends it otherwise.
      if (child.isOpenInBackground) background(this.#open(child.childId), () => {});
    }
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

  /** Ids of the child sessions that the log names. */
  async #childrenOf(id: string): Promise<readonly string[]> {
    try {
      const { entries } = await this.#host.repository.read(id);
      // A fork begins with a copy of another log, whose children are not its own.
      const own = entries.slice(1 + entries.findLastIndex(({ type }) => type === "forked_from"));
      const started = own.filter(({ type }) => type === "child_started");
      return started.map(({ childId }) => String(childId));
    } catch (thrown) {
      if (isRepositoryError(thrown) && thrown.code === "not_found") return [];
      throw thrown;
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
    const name = sessionId && this.#runtimes.get(sessionId)?.log.fold.agent;
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

  #onPoll(): void {
    for (const runtime of this.#runtimes.values()) runtime.poll();
    if (!this.#isForOne) return;
    // The deadline of a call may have passed.
    for (const runtime of this.#runtimes.values()) runtime.wake(true);
  }
}

/**
 * Creates a host, which runs the sessions of its agents in this process and takes over due sessions from processes
 * that ended. The caller must `close` it.
 */
export function createHost<const Agents extends readonly Agent[]>(
  options: HostOptions<Agents>,
): Host<AgentsByName<Agents>, TypesOf<Agents[number]>> {
  return new Host<AgentsByName<Agents>, TypesOf<Agents[number]>>(options);
}

/** Runs the sessions of known agents on one repository. Any number of hosts, in any number of processes, may share it. */
import type { SessionRepository } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import { background } from "./background.ts";
import type { Clock } from "./clock.ts";
import { systemClock } from "./clock.ts";
import { checkSessionId } from "./input.ts";
import { newId as randomId } from "./new-id.ts";
import { Session } from "./session.ts";
import { SessionError, toSessionError } from "./session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import { SessionRuntime } from "./session-runtime.ts";

export interface HostOptions {
  readonly agents: readonly Agent[];
  readonly repository: SessionRepository;
  readonly clock?: Clock;
  /** How long a dead owner keeps others waiting. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * How often to look for sessions that are due, and at those that are read here and run elsewhere. Default 1,000. With `Infinity` never: the
   * host then hears of others by wake-ups alone, and one may be lost.
   */
  readonly pollMs?: number;
  /** The name of this process in leases. Default random. */
  readonly owner?: string;
  readonly newId?: () => string;
}

export interface NewSession extends SessionOrigin {
  /** Default random. */
  readonly id?: string;
}

export class Host {
  readonly #host: SessionHost;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #runtimes = new Map<string, SessionRuntime>();
  readonly #pollMs: number;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  constructor(options: HostOptions) {
    const { agents, repository, clock = systemClock } = options;
    const { leaseMs = 30_000, pollMs = 1_000, newId = randomId } = options;
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#pollMs = pollMs;
    this.#host = {
      repository,
      clock,
      owner: options.owner ?? newId(),
      leaseMs,
      newId,
      agent: (name) => this.#agent(name),
      forget: (id) => this.#runtimes.delete(id),
    };
    this.#pollLater();
  }

  /** A new session. Nothing is stored before its first send. Fails with `unknown_agent`. */
  createSession({ id, ...origin }: NewSession): Session {
    this.#mustBeOpen();
    this.#agent(origin.agent);
    const sessionId = id === undefined ? this.#host.newId() : checkSessionId(id);
    if (this.#runtimes.has(sessionId)) throw exists(sessionId);
    return new Session(this.#runtime(sessionId), this.#host, origin);
  }

  /** A stored session. An unfinished turn goes on by itself. Fails with `not_found` and `unknown_agent`. */
  async open(id: string): Promise<Session> {
    this.#mustBeOpen();
    const runtime = this.#runtime(id);
    try {
      await runtime.open();
    } catch (thrown) {
      throw toSessionError(id, thrown);
    }
    return new Session(runtime, this.#host);
  }

  /** Looks for sessions that are due and works on them; the host does so by itself from time to time. */
  async claimDue(): Promise<void> {
    const { repository, owner, leaseMs: ttlMs, clock } = this.#host;
    const askedAt = clock.now();
    const agents = [...this.#agents.keys()];
    const claims = await repository.claimDue({ agents, owner, ttlMs });
    for (const claim of claims) this.#runtime(claim.lease.sessionId).adopt(claim, askedAt);
  }

  /** Stops: what is under way here is handed over to other hosts as it is. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await Promise.all(Array.from(this.#runtimes.values(), (runtime) => runtime.close()));
    this.#runtimes.clear();
  }

  #runtime(id: string): SessionRuntime {
    let runtime = this.#runtimes.get(id);
    if (runtime === undefined) {
      runtime = new SessionRuntime(id, this.#host);
      this.#runtimes.set(id, runtime);
    }
    return runtime;
  }

  #agent(name: string): Agent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return agent;
    const known = [...this.#agents.keys()].join(", ");
    throw new SessionError("unknown_agent", `There is no agent "${name}". There are: ${known}`);
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new SessionError("host_closed", "The host was closed");
  }

  #pollLater(): void {
    if (this.#isClosed || this.#pollMs === Infinity) return;
    this.#cancelPoll = this.#host.clock.timer(this.#pollMs, () => {
      for (const runtime of this.#runtimes.values()) runtime.poll();
      // A store that fails now is asked again.
      background(
        this.claimDue().finally(() => this.#pollLater()),
        () => {},
      );
    });
  }
}

export function createHost(options: HostOptions): Host {
  return new Host(options);
}

function exists(sessionId: string): SessionError {
  const message = `Session ${sessionId} is there already: open it`;
  return new SessionError("exists", message, { sessionId });
}

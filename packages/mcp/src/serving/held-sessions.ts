/** Sessions in use by clients: whose they are, how many there may be, and how long each stays in memory. */
import type { Host, Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import { ServingError, unknownSession } from "./serving-error.ts";
import type { McpIdentity, ServingLimits } from "./serving-options.ts";

export interface HeldSession {
  readonly session: Session;
  /** Must be called once. */
  release(): Promise<void>;
}

export class HeldSessions {
  readonly #host: Host;
  readonly #limits: ServingLimits;
  readonly #uses = new Map<string, number>();
  /** Sessions that are being created, by principal: no list has them yet. */
  readonly #creating = new Map<string, number>();

  constructor(host: Host, limits: ServingLimits) {
    this.#host = host;
    this.#limits = limits;
  }

  /** Throws `invalid_params`, the same for a session that does not exist and one of another principal. */
  async open(id: string, { principal }: McpIdentity): Promise<HeldSession> {
    try {
      // The owner first: not even why a session cannot be opened is told to others.
      if ((await this.#host.principalOf(id)) !== principal) throw unknownSession();
      return this.#hold(await this.#host.open(id));
    } catch (thrown) {
      const isUnknown = thrown instanceof SessionError && thrown.code === "not_found";
      throw isUnknown ? unknownSession() : thrown;
    }
  }

  /** Creates a session and stores it. Throws `too_many`. */
  async create(agent: string, { principal, app }: McpIdentity): Promise<HeldSession> {
    const release = await this.#admit(principal);
    try {
      const hasApp = this.#host.agents.find(({ name }) => name === agent)?.appContext !== undefined;
      const session = this.#host.createSession({ agent, principal, ...(hasApp && { app }) });
      await session.create();
      return this.#hold(session);
    } finally {
      release();
    }
  }

  #hold(session: Session): HeldSession {
    const { id } = session;
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    return {
      session,
      release: async () => {
        const left = (this.#uses.get(id) ?? 1) - 1;
        if (left > 0) {
          this.#uses.set(id, left);
          return;
        }
        this.#uses.delete(id);
        await session.detach();
      },
    };
  }

  async #admit(principal: string): Promise<() => void> {
    const { sessionsPerPrincipal: limit } = this.#limits;
    if (limit === Infinity) return () => {};
    const creating = this.#creating.get(principal) ?? 0;
    this.#creating.set(principal, creating + 1);
    const release = (): void => {
      const left = (this.#creating.get(principal) ?? 1) - 1;
      if (left === 0) this.#creating.delete(principal);
      else this.#creating.set(principal, left);
    };
    try {
      const { sessions } = await this.#host.list({ principal, limit });
      if (sessions.length + creating < limit) return release;
    } catch (thrown) {
      release();
      throw thrown;
    }
    release();
    throw new ServingError("too_many", `The limit of ${limit} sessions is reached`);
  }
}

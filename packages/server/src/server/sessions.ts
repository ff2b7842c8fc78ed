/** Sessions in use by clients: access checks, and how long each stays in memory. */
import { ReleasingMap } from "@capstan/log";
import type { Clock, Host, NewSession, Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import { hashJson } from "@capstan/kernel";
import type { ServerLimits } from "../guard/limits.ts";
import type { PublicView } from "../guard/public-view.ts";
import { ServerError, noSession, sessionReplaced } from "../guard/server-error.ts";
import { SessionFrames } from "../streaming/session-frames.ts";

/** A session and the frames its readers share. */
export interface OpenSession {
  readonly session: Session;
  readonly frames: SessionFrames;
}

/** The session a request refers to. */
export interface WantedSession {
  readonly principal: string;
  /** Its id, or the principal's key for it. */
  readonly id: string;
  /** Expected incarnation among the sessions that have had this id, if the client states one. */
  readonly incarnation?: string | undefined;
}

interface KeptSession extends OpenSession {
  /** Number of requests and streams that use it. */
  uses: number;
  cancelIdle: (() => void) | undefined;
}

export class Sessions {
  readonly #host: Host;
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  readonly #view: PublicView;
  readonly #kept = new ReleasingMap<string, KeptSession>();
  /** Sessions being created, by principal: no list contains them yet. */
  readonly #creating = new Map<string, number>();

  constructor(host: Host, limits: ServerLimits, clock: Clock, view: PublicView) {
    this.#host = host;
    this.#view = view;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Number of sessions in memory for clients. */
  get size(): number {
    return this.#kept.size;
  }

  /** Finds a session by id, or by this principal's key. Undefined if there is none, or if it belongs to another principal. */
  async find(principal: string, idOrKey: string): Promise<OpenSession | undefined> {
    return (
      (await this.#findOwn(principal, idOrKey)) ??
      this.#findOwn(principal, idOfKey(principal, idOrKey))
    );
  }

  /** Like `find`, but fails with `not_found`. */
  async get(principal: string, idOrKey: string): Promise<OpenSession> {
    const found = await this.find(principal, idOrKey);
    if (found === undefined) throw noSession(idOrKey);
    return found;
  }

  /**
   * Keeps the session in memory while `work` runs. If it turns out to be gone, and another session has its id, `work` runs with that one. Fails
   * with `not_found` and `session_replaced`.
   */
  async use<T>(wanted: WantedSession, work: (open: OpenSession) => Promise<T>): Promise<T> {
    const open = await this.get(wanted.principal, wanted.id);
    try {
      return await this.useOpen(open, wanted, work);
    } catch (thrown) {
      // A session that is gone was not changed, so `work` can be repeated.
      if (!open.session.isGone) throw thrown;
    }
    return this.useOpen(await this.get(wanted.principal, wanted.id), wanted, work);
  }

  /** Like `use`, for a session already found. The caller must check whether it is gone. */
  async useOpen<T>(
    open: OpenSession,
    { id, incarnation }: Pick<WantedSession, "id" | "incarnation">,
    work: (open: OpenSession) => Promise<T>,
  ): Promise<T> {
    const release = this.hold(open);
    try {
      if (incarnation !== undefined && incarnation !== open.session.incarnation) {
        // This server may not have seen the new one yet.
        await open.session.refresh();
        throw sessionReplaced(id);
      }
      return await work(open);
    } finally {
      release();
    }
  }

  /** Creates a session, stored with its first input. With a key, the id is derived from it. */
  create(
    principal: string,
    key: string | undefined,
    origin: Omit<NewSession, "id" | "principal">,
  ): OpenSession {
    const id = key === undefined ? undefined : idOfKey(principal, key);
    // A concurrent request with the same key may have been faster.
    const known = id === undefined ? undefined : this.#kept.get(id);
    if (known !== undefined && !known.session.isGone) return known;
    const session = this.#host.createSession({
      ...origin,
      principal,
      ...(id !== undefined && { id }),
    });
    return this.#keep(session);
  }

  /** Counts a session until it is stored. Fails with `too_many_sessions`. Call the result once it is stored, or will not be. */
  async admit(principal: string): Promise<() => void> {
    const { sessionsPerPrincipal: limit } = this.#limits;
    // Without a limit there is no need to count.
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
      if (sessions.length + creating >= limit) throw tooMany(limit);
    } catch (thrown) {
      release();
      throw thrown;
    }
    return release;
  }

  /** Opens the session that another process created in the meantime. */
  async reopen(principal: string, { session }: OpenSession): Promise<OpenSession> {
    await this.#forget(session.id);
    return this.get(principal, session.id);
  }

  /** Keeps the session in memory until the returned function is called. */
  hold(open: OpenSession): () => void {
    const kept = this.#kept.get(open.session.id) ?? this.#keep(open.session);
    // Another session has its id by now.
    if (kept.session !== open.session) return () => {};
    kept.cancelIdle?.();
    kept.cancelIdle = undefined;
    kept.uses += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      kept.uses -= 1;
      this.#idleLater(kept);
    };
  }

  /** Drops a session that was never stored, unless another request uses it. */
  async drop({ session }: OpenSession): Promise<void> {
    if (this.#kept.get(session.id)?.uses === 0) await this.#forget(session.id);
  }

  async delete({ session }: OpenSession): Promise<void> {
    this.#kept.get(session.id)?.cancelIdle?.();
    this.#kept.delete(session.id);
    await this.#host.delete(session.id);
  }

  close(): void {
    for (const { cancelIdle } of this.#kept.values()) cancelIdle?.();
    this.#kept.clear();
  }

  async #findOwn(principal: string, id: string): Promise<OpenSession | undefined> {
    if (this.#kept.get(id)?.session.isGone === true) await this.#forget(id);
    const open = this.#kept.get(id) ?? (await this.#open(principal, id));
    return open?.session.principal === principal ? open : undefined;
  }

  /** Checks the owner first: nothing about another principal's session may leak, not even why it cannot be opened. */
  async #open(principal: string, id: string): Promise<KeptSession | undefined> {
    try {
      if ((await this.#host.principalOf(id)) !== principal) return undefined;
      const session = await this.#host.open(id);
      // Clients name messages of any age.
      await session.readMessages();
      return this.#kept.get(id) ?? this.#keep(session);
    } catch (thrown) {
      if (thrown instanceof SessionError && thrown.code === "not_found") return undefined;
      throw thrown;
    }
  }

  #keep(session: Session): KeptSession {
    const kept = {
      session,
      frames: new SessionFrames(this.#view.event),
      uses: 0,
      cancelIdle: undefined,
    };
    this.#kept.set(session.id, kept);
    this.#idleLater(kept);
    return kept;
  }

  #idleLater(kept: KeptSession): void {
    if (kept.uses > 0 || this.#kept.get(kept.session.id) !== kept) return;
    kept.cancelIdle?.();
    const { timer, idleTimer = timer } = this.#clock;
    kept.cancelIdle = idleTimer(this.#limits.idleSessionMs, () => {
      if (kept.uses > 0) return;
      // A failure to detach does not matter: the host finds the session when it is due.
      this.#forget(kept.session.id).catch(() => {});
    });
  }

  async #forget(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    kept.cancelIdle?.();
    this.#kept.delete(id);
    await kept.session.detach();
  }
}

function tooMany(limit: number): ServerError {
  const message = `The limit of ${limit} sessions is reached: delete one`;
  return new ServerError("too_many_sessions", message);
}

/** Another principal with the same key gets another session, and the id cannot be guessed or taken. */
function idOfKey(principal: string, key: string): string {
  return `k${hashJson([principal, key]).slice(0, 40)}`;
}

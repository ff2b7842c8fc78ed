/** The sessions that clients use now: who may, and how long each is kept in memory. */
import type { Clock, Host, NewSession, Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import { hashJson } from "@capstan/kernel";
import type { ServerLimits } from "../guard/limits.ts";
import type { PublicView } from "../guard/public-view.ts";
import { ServerError, noSession, sessionReplaced } from "../guard/server-error.ts";
import { SessionFrames } from "../streaming/session-frames.ts";

/** A session with what its readers share. */
export interface OpenSession {
  readonly session: Session;
  readonly frames: SessionFrames;
}

/** A session that a request is about. */
export interface WantedSession {
  readonly principal: string;
  /** Its id, or the principal's key for it. */
  readonly id: string;
  /** Which of those that have had this id, if the client says so. */
  readonly incarnation?: string | undefined;
}

interface KeptSession extends OpenSession {
  /** Requests and streams that use it. */
  uses: number;
  cancelIdle: (() => void) | undefined;
}

export class Sessions {
  readonly #host: Host;
  readonly #limits: ServerLimits;
  readonly #clock: Clock;
  readonly #view: PublicView;
  readonly #kept = new Map<string, KeptSession>();
  /** Being created, by principal: they are in no list yet. */
  readonly #creating = new Map<string, number>();

  constructor(host: Host, limits: ServerLimits, clock: Clock, view: PublicView) {
    this.#host = host;
    this.#view = view;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** How many are in memory for clients. */
  get size(): number {
    return this.#kept.size;
  }

  /** By its id, or by the key that this principal has for it. Undefined if there is none, or it is somebody else's. */
  async find(principal: string, idOrKey: string): Promise<OpenSession | undefined> {
    return (
      (await this.#findOwn(principal, idOrKey)) ??
      this.#findOwn(principal, idOfKey(principal, idOrKey))
    );
  }

  /** The same; fails with `not_found`. */
  async get(principal: string, idOrKey: string): Promise<OpenSession> {
    const found = await this.find(principal, idOrKey);
    if (found === undefined) throw noSession(idOrKey);
    return found;
  }

  /**
   * Keeps it in memory while something is done with it. If it turns out to be gone, and another one has its id, that is done with the other one. Fails
   * with `not_found` and `session_replaced`.
   */
  async use<T>(wanted: WantedSession, work: (open: OpenSession) => Promise<T>): Promise<T> {
    const open = await this.get(wanted.principal, wanted.id);
    try {
      return await this.useOpen(open, wanted, work);
    } catch (thrown) {
      // Nothing reaches a session that is gone.
      if (!open.session.isGone) throw thrown;
    }
    return this.useOpen(await this.get(wanted.principal, wanted.id), wanted, work);
  }

  /** The same for one that was found; whether it is gone is for the caller to see. */
  async useOpen<T>(
    open: OpenSession,
    { id, incarnation }: Pick<WantedSession, "id" | "incarnation">,
    work: (open: OpenSession) => Promise<T>,
  ): Promise<T> {
    const release = this.hold(open);
    try {
      if (incarnation !== undefined && incarnation !== open.session.incarnation) {
        // It may be this server that has not heard of the new one.
        await open.session.refresh();
        throw sessionReplaced(id);
      }
      return await work(open);
    } finally {
      release();
    }
  }

  /** A new one, stored at its first word. With a key it has the id that belongs to it. */
  create(
    principal: string,
    key: string | undefined,
    origin: Omit<NewSession, "id" | "principal">,
  ): OpenSession {
    const id = key === undefined ? undefined : idOfKey(principal, key);
    // Somebody else with the same key may have been faster.
    const known = id === undefined ? undefined : this.#kept.get(id);
    if (known !== undefined && !known.session.isGone) return known;
    const session = this.#host.createSession({
      ...origin,
      principal,
      ...(id !== undefined && { id }),
    });
    return this.#keep(session);
  }

  /** Counts one more until it is stored. Fails with `too_many_sessions`. Returns how to say that it is stored, or is not. */
  async admit(principal: string): Promise<() => void> {
    const { sessionsPerPrincipal: limit } = this.#limits;
    // They need not be counted then.
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

  /** Another process has created it meanwhile: opens that one. */
  async reopen(principal: string, { session }: OpenSession): Promise<OpenSession> {
    await this.#forget(session.id);
    return this.get(principal, session.id);
  }

  /** Keeps it in memory until that is given back. */
  hold(open: OpenSession): () => void {
    const kept = this.#kept.get(open.session.id) ?? this.#keep(open.session);
    // Another one has its id by now.
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

  /** It was never stored, and nobody else uses it. */
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

  /** Looks whose it is first: what another principal's session is like, or why it cannot be opened, is not to be learned. */
  async #open(principal: string, id: string): Promise<KeptSession | undefined> {
    try {
      if ((await this.#host.principalOf(id)) !== principal) return undefined;
      const session = await this.#host.open(id);
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
      // What goes wrong with letting go of it is nobody's concern: the host finds it when it is due.
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
  const message = `There are ${limit} sessions already, and no more are allowed: delete one`;
  return new ServerError("too_many_sessions", message);
}

/** The same key of another principal is another session, and nobody can guess or take the id. */
function idOfKey(principal: string, key: string): string {
  return `k${hashJson([principal, key]).slice(0, 40)}`;
}

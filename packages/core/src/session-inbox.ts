/** The way into a session's log for those who have something to say: creates the session at the first word, posts, and tells what was refused. */
import type { PostedBody, Refusal, SessionFold } from "@capstan/log";
import { foldEntries, isRepositoryError } from "@capstan/log";
import { SessionError, refused, toSessionError } from "./session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import { firstEntries, headOfNew } from "./session-host.ts";
import type { SessionRuntime } from "./session-runtime.ts";

export class SessionInbox {
  readonly #host: SessionHost;
  readonly #runtime: SessionRuntime;
  /** What the session is created with at its first word; undefined once it is there. */
  #origin: SessionOrigin | undefined;
  #preview: SessionFold | undefined;
  #creating: Promise<void> | undefined;
  #createdId: string | undefined;

  constructor(runtime: SessionRuntime, host: SessionHost, origin: SessionOrigin | undefined) {
    this.#runtime = runtime;
    this.#host = host;
    this.#origin = origin;
  }

  /** Undefined once the session is in the store. */
  get origin(): SessionOrigin | undefined {
    return this.#origin;
  }

  /** What the session will be when it is created; undefined once it is. */
  get preview(): SessionFold | undefined {
    if (this.#origin === undefined) return undefined;
    const entries = firstEntries(this.#origin, "preview", this.#host.clock.now());
    return (this.#preview ??= foldEntries(entries.map((entry, at) => ({ ...entry, seq: at + 1 }))));
  }

  async ensureCreated(): Promise<void> {
    if (this.#origin === undefined) return;
    await (this.#creating ??= this.#create(this.#origin));
  }

  /** Resolves when it is safe. Fails with a `SessionError` where it was refused, unless for the reason that is passed over. */
  async post(id: string, body: PostedBody, except?: Refusal): Promise<void> {
    try {
      await this.ensureCreated();
      await this.#runtime.log.post(id, body);
    } catch (thrown) {
      throw toSessionError(this.#runtime.id, thrown);
    }
    this.check(id, except);
  }

  /** Fails if this entry was refused for another reason than the one that is passed over. */
  check(entryId: string, except?: Refusal): void {
    const refusal = this.#runtime.log.fold.refusalOf(entryId);
    if (refusal !== undefined && refusal !== except) throw refused(this.#runtime.id, refusal);
  }

  /** For what makes no sense in a session that nobody has spoken to. */
  mustExist(what: string): void {
    if (this.#origin === undefined) return;
    const sessionId = this.#runtime.id;
    const message = `Session ${sessionId} has no turn yet: there is nothing to ${what}. Send something first`;
    throw new SessionError("not_pending", message, { sessionId });
  }

  async #create(origin: SessionOrigin): Promise<void> {
    const { log } = this.#runtime;
    const at = this.#host.clock.now();
    const id = (this.#createdId ??= this.#host.newId());
    try {
      await log.create(firstEntries(origin, id, at), headOfNew(origin, at));
    } catch (thrown) {
      // An earlier try may have reached the store, though its answer did not reach us.
      if (!isRepositoryError(thrown) || thrown.code !== "exists") throw thrown;
      await log.catchUp();
      if (log.fold.created?.id !== id) throw thrown;
    } finally {
      this.#creating = undefined;
    }
    this.#origin = undefined;
    this.#preview = undefined;
    this.#runtime.attend();
  }
}

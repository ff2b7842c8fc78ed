/** Opens a stored session or creates it, whichever applies, also if several callers and processes do so at once. */
import { ReleasingMap } from "@capstan/log";
import type { SessionErrorCode } from "../errors/session-error.ts";
import { SessionError, exists } from "../errors/session-error.ts";
import type { Session } from "../session/session.ts";
import type { RecordedStart } from "../session/session-host.ts";
import type { AgentTypes } from "../agent/agent-types.ts";
import type { NewSession, SessionFields } from "./host.ts";

/** Values that a session is created with, if there is none yet. */
export type SessionStart<Known extends AgentTypes = AgentTypes> = Omit<SessionFields<Known>, "id"> &
  Known["appField"];

interface SessionSource {
  open(id: string): Promise<Session>;
  createSession(origin: NewSession): Session;
}

export class OpenOrCreate {
  readonly #source: SessionSource;
  /** Calls in progress, by id. */
  readonly #opening = new ReleasingMap<string, Promise<Session>>();

  constructor(source: SessionSource) {
    this.#source = source;
  }

  /** The call in progress for this id; undefined if there is none. */
  opening(id: string): Promise<Session> | undefined {
    return this.#opening.get(id);
  }

  async session(id: string, start: SessionStart, recorded?: RecordedStart): Promise<Session> {
    // One at a time: the second opens what the first creates.
    const opening = this.#after(this.#opening.get(id), id, start, recorded);
    this.#opening.set(id, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(id) === opening) this.#opening.delete(id);
    }
  }

  async #after(
    before: Promise<Session> | undefined,
    id: string,
    start: SessionStart,
    recorded: RecordedStart | undefined,
  ): Promise<Session> {
    // The earlier caller gets its own error. The wait also lets `session` store this promise before the start is recorded.
    await before?.catch(() => {});
    await recorded?.record();
    const stored = recorded?.isNew === true ? undefined : await this.#openIfStored(id);
    if (stored !== undefined) return mustBeOf(stored, start);
    const created = this.#source.createSession({ ...start, id });
    try {
      await created.create();
      return created;
    } catch (thrown) {
      await created.detach();
      if (!isError(thrown, "exists")) throw thrown;
    }
    // Another process was faster.
    return mustBeOf(await this.#source.open(id), start);
  }

  async #openIfStored(id: string): Promise<Session | undefined> {
    try {
      return await this.#source.open(id);
    } catch (thrown) {
      if (isError(thrown, "not_found")) return undefined;
      throw thrown;
    }
  }
}

/** Returns the session. Throws if it was created with another agent or principal. */
function mustBeOf(session: Session, { agent, principal }: SessionStart): Session {
  if (session.agent !== agent) {
    throw exists(session.id, `belongs to the agent "${session.agent}": choose another id`);
  }
  if (session.principal === principal) return session;
  throw exists(session.id, "belongs to another principal: choose another id");
}

function isError(thrown: unknown, code: SessionErrorCode): boolean {
  return thrown instanceof SessionError && thrown.code === code;
}

/** Functions that an application has for its storage, called so that every failure is one of the store. */
import { isRepositoryError, RepositoryError } from "../repository/repository.ts";
import type { MaybePromise } from "../repository/repository.ts";
import type { SavedSession } from "./saved-session.ts";

/** Each may return a promise. What they throw is the cause of a `RepositoryError` `unavailable`. */
export interface LoadAndSave {
  /** Returns the value that was last saved under this id, as an object; undefined or null if there is none. */
  load(id: string): unknown;
  /**
   * Replaces the saved value as a whole. Returns once the value is as durable as the storage makes it: from then on the write counts as done.
   * The value is plain JSON and never changes afterwards.
   */
  save(id: string, session: SavedSession): MaybePromise<void>;
  /** Stores a new session. Default: `save`. */
  create?(id: string, session: SavedSession): MaybePromise<void>;
  /** Returns the ids of all saved sessions. Without it, a session is listed, and resumes by itself, once this process has used it. */
  list?(): MaybePromise<readonly string[]>;
  /** Deletes what was saved. Does nothing if there is none. Without it, sessions cannot be deleted. */
  delete?(id: string): MaybePromise<void>;
}

/** Returns the result of a hook. Fails with `unavailable` if the hook fails. */
export async function callHook<T>(
  name: keyof LoadAndSave,
  sessionId: string,
  call: () => MaybePromise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (isRepositoryError(thrown)) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const session = sessionId === "" ? "" : ` of session "${sessionId}"`;
    const message = `The application's \`${name}\`${session} failed (${why})`;
    throw new RepositoryError("unavailable", sessionId, message, { cause: thrown });
  }
}

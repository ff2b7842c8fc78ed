/** Errors of every store: a session is missing, exists already, or belongs to another owner. */
import type { Lease } from "./repository.ts";
import { RepositoryError } from "./repository.ts";

/** Creates the error of a store that does not have the session. */
export function sessionNotFound(id: string): RepositoryError {
  const message = `Unknown session "${id}": check the id, or create it`;
  return new RepositoryError("not_found", id, message);
}

/** Error of a write that was meant for a certain session. */
export function sessionGone(id: string): RepositoryError {
  const message = `Session "${id}" was deleted, and its id now belongs to another session: open it again`;
  return new RepositoryError("not_found", id, message);
}

/** Creates the error of a store that already has the session. */
export function sessionExists(id: string): RepositoryError {
  const message = `Session "${id}" already exists: open it, or choose another id`;
  return new RepositoryError("exists", id, message);
}

/** `lastEpoch` is the last epoch that was given for the session, which may be the expired one. */
export function leaseOver(id: string, { owner, epoch }: Lease, lastEpoch: number): RepositoryError {
  const message = `Session "${id}" no longer belongs to ${owner}: epoch ${epoch} has ended, the last is ${lastEpoch}. Acquire it again to write, or follow its owner`;
  return new RepositoryError("fenced", id, message);
}

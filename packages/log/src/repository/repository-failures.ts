/** What every store says when a session is not there, is there already, or is not the caller's any more. */
import type { Lease } from "./repository.ts";
import { RepositoryError } from "./repository.ts";

export function sessionNotFound(id: string): RepositoryError {
  const message = `There is no session "${id}": check the id, or create it`;
  return new RepositoryError("not_found", id, message);
}

/** For a write that was meant for one session alone. */
export function sessionGone(id: string): RepositoryError {
  const message = `Session "${id}" was deleted, and what has its id now is another one: open it again`;
  return new RepositoryError("not_found", id, message);
}

export function sessionExists(id: string): RepositoryError {
  const message = `There is a session "${id}" already: open it, or choose another id`;
  return new RepositoryError("exists", id, message);
}

/** `lastEpoch` is the last that was given for the session, which may be the one that has run out. */
export function leaseOver(id: string, { owner, epoch }: Lease, lastEpoch: number): RepositoryError {
  const message = `Session "${id}" is not ${owner}'s any more: epoch ${epoch} is over, the last is ${lastEpoch}. Acquire it again to write, or follow who has it`;
  return new RepositoryError("fenced", id, message);
}

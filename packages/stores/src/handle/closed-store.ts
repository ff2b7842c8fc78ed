/** Error of a call to a store that was closed. */
import { RepositoryError } from "@capstan/log";

export function closedStore(name: string, sessionId: string): RepositoryError {
  return new RepositoryError(
    "unavailable",
    sessionId,
    `The store on ${name} is closed: open a new one`,
  );
}

/** What every store of this package is: a repository that holds something open. */
import type { SessionRepository } from "@capstan/log";

export interface StoreHandle extends SessionRepository, AsyncDisposable {
  /** Lets go of files, connections and timers. What was acknowledged is safe without it. Calls after it fail with `unavailable`. */
  close(): Promise<void>;
}

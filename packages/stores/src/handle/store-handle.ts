/** Common type of this package's stores: a repository that holds resources. */
import type { SessionRepository } from "@capstan/log";

/** An open store. The caller must `close` it. */
export interface StoreHandle extends SessionRepository, AsyncDisposable {
  /** Closes files, connections and timers. Acknowledged writes are durable without it. Later calls fail with `unavailable`. */
  close(): Promise<void>;
}

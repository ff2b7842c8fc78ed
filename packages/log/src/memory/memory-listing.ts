/** List of sessions in memory. */
import { listPage, newestFirst } from "../repository/list-page.ts";
import type { ReleasingMap } from "../repository/releasing-map.ts";
import type { MemorySession } from "./memory-session.ts";
import type { ListQuery, SessionPage } from "../repository/repository.ts";

export class MemoryListing {
  readonly #sessions: ReleasingMap<string, MemorySession>;
  /** Sorted when it is read: writers only invalidate it. */
  #newestFirst: readonly MemorySession[] | undefined;

  constructor(sessions: ReleasingMap<string, MemorySession>) {
    this.#sessions = sessions;
  }

  /** Must be called after each change of a head, and when sessions are created or deleted. */
  invalidate(): void {
    this.#newestFirst = undefined;
  }

  page(query: ListQuery): SessionPage {
    this.#newestFirst ??= newestFirst(this.#sessions.values());
    return listPage(this.#newestFirst, query);
  }
}

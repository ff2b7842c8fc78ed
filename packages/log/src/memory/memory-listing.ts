/** The list of sessions in memory. */
import { listPage, newestFirst } from "../repository/list-page.ts";
import type { MemorySession } from "./memory-session.ts";
import type { ListQuery, SessionPage } from "../repository/repository.ts";

export class MemoryListing {
  readonly #sessions: ReadonlyMap<string, MemorySession>;
  /** Sorted when somebody asks: writers only say that it is no longer right. */
  #newestFirst: readonly MemorySession[] | undefined;

  constructor(sessions: ReadonlyMap<string, MemorySession>) {
    this.#sessions = sessions;
  }

  /** To be called after each change of a head, and of what sessions there are. */
  invalidate(): void {
    this.#newestFirst = undefined;
  }

  page(query: ListQuery): SessionPage {
    this.#newestFirst ??= newestFirst(this.#sessions.values());
    return listPage(this.#newestFirst, query);
  }
}

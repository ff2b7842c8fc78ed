/** The list of all sessions, newest first, in pages. */
import type { MemorySession } from "./memory-session.ts";
import type { ListQuery, SessionPage } from "./repository.ts";

/** A page goes on behind the session that ended the one before, wherever that stands by now. */
interface Place {
  readonly updatedAt: number;
  readonly id: string;
}

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
    const { limit = 50, after } = query;
    const sorted = (this.#newestFirst ??= [...this.#sessions.values()].sort(byAge));
    const found: MemorySession[] = [];
    for (let i = after === undefined ? 0 : firstBehind(sorted, toPlace(after)); ; i += 1) {
      const session = sorted[i];
      if (session === undefined) return { sessions: found.map(toListed) };
      if (!matches(session, query)) continue;
      const last = found.at(-1);
      if (found.length >= limit && last !== undefined) {
        return { sessions: found.map(toListed), next: toToken(last) };
      }
      found.push(session);
    }
  }
}

function matches({ head }: MemorySession, query: ListQuery): boolean {
  return (
    (query.agent === undefined || query.agent === head.agent) &&
    (query.principal === undefined || query.principal === head.principal) &&
    (query.status === undefined || query.status === head.status)
  );
}

function toListed({ id, head, lastSeq }: MemorySession): SessionPage["sessions"][number] {
  return { id, head, lastSeq };
}

function byAge(a: MemorySession, b: MemorySession): number {
  return isBehind(a, { updatedAt: b.head.updatedAt, id: b.id }) ? 1 : -1;
}

function isBehind({ id, head }: MemorySession, place: Place): boolean {
  if (head.updatedAt !== place.updatedAt) return head.updatedAt < place.updatedAt;
  return id < place.id;
}

/** By halving: those behind the place are the tail of the list. */
function firstBehind(sorted: readonly MemorySession[], place: Place): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // In range, as `middle < high`.
    if (isBehind(sorted[middle] as MemorySession, place)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function toToken({ id, head }: MemorySession): string {
  return `${head.updatedAt} ${id}`;
}

/** A token that is none has no number: nothing stands behind such a place. */
function toPlace(token: string): Place {
  const end = token.indexOf(" ");
  return { updatedAt: Number.parseFloat(token.slice(0, end)), id: token.slice(end + 1) };
}

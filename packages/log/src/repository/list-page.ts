/** List of all sessions, newest first, in pages. For stores that can read all of them. */
import type { ListCursor } from "./list-cursor.ts";
import { formatListCursor, parseListCursor } from "./list-cursor.ts";
import type { ListedSession, ListQuery, SessionPage } from "./repository.ts";

/** Sorts sessions by their last change, the newest first. */
export function newestFirst<Session extends ListedSession>(sessions: Iterable<Session>): Session[] {
  return [...sessions].sort((a, b) => (isAfter(a, cursorOf(b)) ? 1 : -1));
}

/** Returns the page of a sorted list that the query asks for. */
export function listPage(sorted: readonly ListedSession[], query: ListQuery): SessionPage {
  const { limit = 50, after } = query;
  const found: ListedSession[] = [];
  for (let i = after === undefined ? 0 : firstAfter(sorted, parseListCursor(after)); ; i += 1) {
    const session = sorted[i];
    if (session === undefined) return { sessions: found.map(toListed) };
    if (!matches(session, query)) continue;
    const last = found.at(-1);
    if (found.length >= limit && last !== undefined) {
      return { sessions: found.map(toListed), next: formatListCursor(cursorOf(last)) };
    }
    found.push(session);
  }
}

function matches({ head }: ListedSession, query: ListQuery): boolean {
  return (
    (query.agent === undefined || query.agent === head.agent) &&
    (query.principal === undefined || query.principal === head.principal) &&
    (query.status === undefined || query.status === head.status)
  );
}

/** A store's session has more fields than a listed one. */
function toListed({ id, head, lastSeq }: ListedSession): ListedSession {
  return { id, head, lastSeq };
}

function cursorOf({ id, head }: ListedSession): ListCursor {
  return { updatedAt: head.updatedAt, id };
}

function isAfter({ id, head }: ListedSession, cursor: ListCursor): boolean {
  if (head.updatedAt !== cursor.updatedAt) return head.updatedAt < cursor.updatedAt;
  return id < cursor.id;
}

/** Binary search: sessions after the cursor are the tail of the list. */
function firstAfter(sorted: readonly ListedSession[], cursor: ListCursor): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // In range, because `middle < high`.
    if (isAfter(sorted[middle] as ListedSession, cursor)) high = middle;
    else low = middle + 1;
  }
  return low;
}

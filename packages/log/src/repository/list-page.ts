/** The list of all sessions, newest first, in pages. For stores that can look at all of them. */
import type { ListPlace } from "./list-place.ts";
import { formatListPlace, parseListPlace } from "./list-place.ts";
import type { ListedSession, ListQuery, SessionPage } from "./repository.ts";

export function newestFirst<Session extends ListedSession>(sessions: Iterable<Session>): Session[] {
  return [...sessions].sort((a, b) => (isBehind(a, placeOf(b)) ? 1 : -1));
}

export function listPage(sorted: readonly ListedSession[], query: ListQuery): SessionPage {
  const { limit = 50, after } = query;
  const found: ListedSession[] = [];
  for (let i = after === undefined ? 0 : firstBehind(sorted, parseListPlace(after)); ; i += 1) {
    const session = sorted[i];
    if (session === undefined) return { sessions: found.map(toListed) };
    if (!matches(session, query)) continue;
    const last = found.at(-1);
    if (found.length >= limit && last !== undefined) {
      return { sessions: found.map(toListed), next: formatListPlace(placeOf(last)) };
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

/** A session of a store has more to it than what is listed. */
function toListed({ id, head, lastSeq }: ListedSession): ListedSession {
  return { id, head, lastSeq };
}

function placeOf({ id, head }: ListedSession): ListPlace {
  return { updatedAt: head.updatedAt, id };
}

function isBehind({ id, head }: ListedSession, place: ListPlace): boolean {
  if (head.updatedAt !== place.updatedAt) return head.updatedAt < place.updatedAt;
  return id < place.id;
}

/** By halving: those behind the place are the tail of the list. */
function firstBehind(sorted: readonly ListedSession[], place: ListPlace): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // In range, as `middle < high`.
    if (isBehind(sorted[middle] as ListedSession, place)) high = middle;
    else low = middle + 1;
  }
  return low;
}

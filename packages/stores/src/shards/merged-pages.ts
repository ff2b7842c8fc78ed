/** One page of a list from the pages of several databases. */
import type { ListedSession, SessionPage } from "@capstan/log";
import { formatListCursor } from "@capstan/log";

/** Compares two sessions as each of the databases does for its list. */
export type ListOrder = (a: ListedSession, b: ListedSession) => number;

/** A page of one database. */
export interface ShardPage {
  /** Without those that belong in another database. */
  readonly sessions: readonly ListedSession[];
  /** Last session of the page, if there is a next one. */
  readonly end: ListedSession | undefined;
}

export function mergePages(
  pages: readonly ShardPage[],
  limit: number,
  order: ListOrder,
): SessionPage {
  // Sessions after the end of a database's page may precede those that others have given.
  const [end] = pages.flatMap((page) => page.end ?? []).sort(order);
  const sorted = pages.flatMap(({ sessions }) => sessions).sort(order);
  const known = end === undefined ? sorted : sorted.filter((one) => order(one, end) <= 0);
  const sessions = known.slice(0, limit);
  const last = known.length > limit ? sessions.at(-1) : end;
  if (last === undefined) return { sessions };
  return { sessions, next: formatListCursor({ updatedAt: last.head.updatedAt, id: last.id }) };
}

/** Builds the query for a list of sessions, and a page from its rows. */
import type { ListedSession, ListQuery, SessionPage } from "@capstan/log";
import { formatListCursor, parseListCursor } from "@capstan/log";
import { parseHead } from "./head-columns.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";

export interface ListRow {
  readonly id: string;
  readonly head: string;
  readonly last_seq: number;
}

export interface ListSelection {
  readonly where: string;
  /** Parameter after those of `where`. */
  readonly limit: string;
  /** The last value is the limit: one more than requested, to know whether there is a next page. */
  readonly values: readonly (string | number)[];
}

const defaultLimit = 50;

/** `$`: numbered parameters. `?`: positional ones. Undefined if the cursor is invalid: nothing comes after it. */
export function toListSelection(query: ListQuery, mark: "?" | "$"): ListSelection | undefined {
  const { limit = defaultLimit, after } = query;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (value: string | number): string => {
    values.push(value);
    return mark === "$" ? `$${values.length}` : "?";
  };
  for (const column of ["agent", "principal", "status"] as const) {
    const wanted = query[column];
    if (wanted !== undefined) conditions.push(`${column} = ${add(toPlainText(wanted))}`);
  }
  if (after !== undefined) {
    const { updatedAt, id } = parseListCursor(after);
    if (Number.isNaN(updatedAt)) return undefined;
    conditions.push(`(updated_at, id) < (${add(updatedAt)}, ${add(toPlainText(id))})`);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return { where, limit: add(limit + 1), values };
}

export function toListPage(rows: readonly ListRow[], query: ListQuery): SessionPage {
  const { limit = defaultLimit } = query;
  const sessions = rows.slice(0, limit).map((row) => ({
    id: fromPlainText(row.id),
    head: parseHead(row.head),
    lastSeq: row.last_seq,
  }));
  const last = sessions.at(-1);
  if (rows.length <= limit || last === undefined) return { sessions };
  const next = formatListCursor({ updatedAt: last.head.updatedAt, id: last.id });
  return { sessions, next };
}

/** Compares sessions as the databases do: newest first, ids in the order of their bytes. */
export function byAge(a: ListedSession, b: ListedSession): number {
  if (a.head.updatedAt !== b.head.updatedAt) return b.head.updatedAt - a.head.updatedAt;
  return Buffer.compare(Buffer.from(toPlainText(b.id)), Buffer.from(toPlainText(a.id)));
}

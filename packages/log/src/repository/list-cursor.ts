/** Cursor of the session list: where a page ended, as the token that requests the next page. */

/** A page starts after the session that ended the previous one, wherever that session is listed now. */
export interface ListCursor {
  readonly updatedAt: number;
  readonly id: string;
}

/** Formats the cursor of a list as text. */
export function formatListCursor({ updatedAt, id }: ListCursor): string {
  return `${updatedAt} ${id}`;
}

/** An invalid token parses to `NaN`: no session comes after such a cursor. */
export function parseListCursor(token: string): ListCursor {
  const end = token.indexOf(" ");
  return { updatedAt: Number.parseFloat(token.slice(0, end)), id: token.slice(end + 1) };
}

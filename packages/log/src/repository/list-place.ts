/** Where a page of the list ended, as the token that the next page is asked for with. */

/** A page goes on behind the session that ended the one before, wherever that stands by now. */
export interface ListPlace {
  readonly updatedAt: number;
  readonly id: string;
}

export function formatListPlace({ updatedAt, id }: ListPlace): string {
  return `${updatedAt} ${id}`;
}

/** A token that is none has no number: nothing stands behind such a place. */
export function parseListPlace(token: string): ListPlace {
  const end = token.indexOf(" ");
  return { updatedAt: Number.parseFloat(token.slice(0, end)), id: token.slice(end + 1) };
}

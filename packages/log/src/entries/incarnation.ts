/** Tells a session from an earlier one with the same id. */

/** As far as a first entry says who its session is. */
interface FirstEntry {
  readonly id: string;
  readonly incarnation?: unknown;
}

/** Incarnation of the session that begins with this entry. Older logs have none of their own: the id of the entry stands for it. */
export function incarnationOf({ id, incarnation }: FirstEntry): string {
  return typeof incarnation === "string" ? incarnation : id;
}

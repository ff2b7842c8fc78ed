/** Distinguishes a session from an earlier one with the same id. */

/** Fields of a first entry that identify its session. */
interface FirstEntry {
  readonly id: string;
  readonly incarnation?: unknown;
}

/** Incarnation of the session that begins with this entry. Older logs have none: the id of the entry is used instead. */
export function incarnationOf({ id, incarnation }: FirstEntry): string {
  return typeof incarnation === "string" ? incarnation : id;
}

/** State of a session at an entry, as a checkpoint records it. */
import type { Cursor } from "../events/cursor.ts";

/** The rest of it belongs to the folds: only a program that keeps the same state can use it. */
export interface Checkpoint {
  /** Version of the rest. */
  readonly version: number;
  /** Seq of the last entry that it includes. */
  readonly seq: number;
  /** Cursor of the last event of an entry. */
  readonly cursor: Cursor;
}

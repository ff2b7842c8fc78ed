/** State of a session at an entry, as a checkpoint records it. */
import type { OwnedBody } from "../entries/entries.ts";
import type { Cursor } from "../events/cursor.ts";
import { checksumOf } from "./checksum.ts";

/** The rest of it belongs to the folds: only a program that keeps the same state can use it. */
export interface Checkpoint {
  /** Version of the rest. */
  readonly version: number;
  /** Seq of the last entry that it includes. */
  readonly seq: number;
  /** Cursor of the last event of an entry. */
  readonly cursor: Cursor;
}

/** Returns the entry that records the state; undefined if the state has more characters of JSON than `maxChars`. */
export function toCheckpointBody(
  state: Checkpoint,
  maxChars: number = Infinity,
): OwnedBody | undefined {
  const text = JSON.stringify(state);
  return text.length > maxChars ? undefined : { type: "checkpoint", state, sum: checksumOf(text) };
}

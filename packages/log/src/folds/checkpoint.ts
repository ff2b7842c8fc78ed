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

/** Entry of a checkpoint, without its envelope. */
export interface CheckpointBody {
  readonly type: "checkpoint";
  readonly state: Checkpoint;
  readonly sum: string;
}

/** Returns the entry that records the state; undefined if the state has more characters of JSON than `maxChars`. */
export function toCheckpointBody(
  state: Checkpoint,
  maxChars: number = Infinity,
): CheckpointBody | undefined {
  const text = JSON.stringify(state);
  return text.length > maxChars ? undefined : { type: "checkpoint", state, sum: checksumOf(text) };
}

type Recorded = Pick<CheckpointBody, "state"> & Partial<Pick<CheckpointBody, "sum">>;

/** Whether the state is the one that was recorded. Checkpoints of older programs have no sum. */
export function isIntact({ state, sum }: Recorded): boolean {
  return sum === checksumOf(JSON.stringify(state));
}

/** 64 bits of FNV-1a, as two halves that begin differently: it detects damage, and not an attack. */
function checksumOf(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x01000193);
  }
  return hex(high) + hex(low);
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0");
}

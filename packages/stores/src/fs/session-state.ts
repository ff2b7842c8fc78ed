/** State of a session besides its entries: one line after every write, the last of which counts. */
import type { DueFacts, SessionHead } from "@capstan/log";
import type { EntryText } from "../text/entry-text.ts";
import { checksumOf } from "../text/checksum.ts";
import { fateOf } from "../watch/process-identity.ts";

interface HeldLease {
  readonly owner: string;
  readonly expiresAt: number;
  /** Process that holds the lease. */
  readonly holder: string;
}

export interface SessionState {
  readonly id: string;
  /** Absent in older logs, and for a session that began without an entry. */
  readonly incarnation?: string;
  readonly lastSeq: number;
  readonly lastPosted: number;
  /** Epoch of the last lease. */
  readonly epoch: number;
  readonly lease?: HeldLease;
  /** Time of the last acquire or release. */
  readonly lastOwned?: number;
  readonly head: SessionHead;
}

/** A state line is an array, an entry is an object: they cannot be confused. */
const mark = '["state",';

export function isStateLine(line: Buffer): boolean {
  return line.subarray(0, mark.length).toString("latin1") === mark;
}

/** Ends a write of these entries. The third item has the checksums of the state and of each entry; older programs ignore it. */
export function toStateLine(state: SessionState, entries: readonly EntryText[]): string {
  const text = JSON.stringify(state);
  const sums = entries.map((entry) => checksumOf(entry.text));
  return `${mark}${text}${sumsMark}${checksumOf(text)},"entries":[${sums.join(",")}]}]\n`;
}

const sumsMark = ',{"state":';

interface Checksums {
  readonly state: number;
  readonly entries: readonly number[];
}

/** Undefined if the line is damaged, or from before there were checksums. */
export function checksumsIn(line: Buffer): Checksums | undefined {
  const at = line.lastIndexOf(sumsMark);
  if (at === -1) return undefined;
  try {
    // Written by `toStateLine`, or part of a string in the state of an older line.
    const sums = JSON.parse(line.toString("utf8", at + 1, line.length - 1)) as Partial<Checksums>;
    const { state, entries } = sums;
    return typeof state === "number" && Array.isArray(entries) ? { state, entries } : undefined;
  } catch {
    // Not JSON: damaged, or part of a string in the state of an older line.
    return undefined;
  }
}

/** Undefined if the line is damaged. */
export function parseStateLine(line: Buffer): SessionState | undefined {
  const sums = checksumsIn(line);
  if (sums !== undefined) {
    const text = line.subarray(mark.length, line.lastIndexOf(sumsMark));
    if (checksumOf(text) !== sums.state) return undefined;
  }
  try {
    // Written by `toStateLine`, or not JSON.
    return (JSON.parse(line.toString("utf8")) as [string, SessionState])[1];
  } catch {
    // Not JSON: damaged.
    return undefined;
  }
}

/** Returns the last complete state line in the bytes. The first line counts only if the bytes start there. */
export function lastState(bytes: Buffer, isFromStart: boolean): SessionState | undefined {
  for (let end = bytes.lastIndexOf(0x0a); end >= 0;) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(0x0a, end - 1);
    if (before < 0 && !isFromStart) return undefined;
    const line = bytes.subarray(before + 1, end);
    const state = isStateLine(line) ? parseStateLine(line) : undefined;
    if (state !== undefined) return state;
    end = before;
  }
  return undefined;
}

/** A lease whose holder is certainly dead ends early. */
export function leaseEnd({ lease }: SessionState): number | undefined {
  return lease === undefined || fateOf(lease.holder) === "dead" ? undefined : lease.expiresAt;
}

export function dueFactsOf(state: SessionState): DueFacts {
  const { head, lastPosted: lastPostedSeq } = state;
  return { head, lastPostedSeq, leaseExpiresAt: leaseEnd(state) };
}

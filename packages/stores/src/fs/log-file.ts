/**
 * Log of one session, one line per entry. Each write appends its entries and a state line at once: anything after the last state line is
 * the tail of an incomplete write. Readers skip it, and the holder of the lock cuts it off.
 */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import type { StoredEntry } from "@capstan/log";
import { incarnationOf, RepositoryError } from "@capstan/log";
import type { EntryText } from "../text/entry-text.ts";
import { checksumOf } from "../text/checksum.ts";
import { checkSum, toEntry } from "../text/entry-text.ts";
import { checksumsIn, isStateLine, parseStateLine, toStateLine } from "./session-state.ts";
import type { SessionState } from "./session-state.ts";

/** Entries and state to write, if any, and the caller's result. */
export interface LogWrite<Result> {
  readonly result: Result;
  readonly entries?: readonly EntryText[];
  readonly next?: SessionState;
}

const newline = 0x0a;
const brace = 0x7b;

/** The key tells whether a file is still the same: file names and inodes are reused. */
export function toFirstLine(key: string): string {
  return `["log",{"version":1,"key":"${key}"}]\n`;
}

const firstLineBytes = toFirstLine("00000000-0000-0000-0000-000000000000").length;

export class LogFile {
  readonly #path: string;
  #fd: number | undefined;
  #firstLine = "";
  /** Number of bytes already parsed. A state line ends there. */
  #knownBytes = 0;
  #state: SessionState | undefined;
  /** Offsets where entry lines begin and end, by seq. */
  #starts: number[] = [0];
  #ends: number[] = [0];
  /** Checksums of entry lines, by seq; undefined for lines from before there were checksums. */
  #sums: (number | undefined)[] = [undefined];
  /** Seqs by entry id, for the first entries, filled on demand. */
  #seqs = new Map<string, number>();
  /** Read from the first entry if the state does not have it. */
  #incarnation: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads new content. Fails with ENOENT if the file is gone. */
  refresh(): SessionState {
    return this.#open("r", (fd) => this.#catchUp(fd));
  }

  /** Call under the lock. */
  write<Result>(isSynced: boolean, decide: (state: SessionState) => LogWrite<Result>): Result {
    return this.#open("r+", (fd) => {
      const state = this.#catchUp(fd);
      const { result, entries = [], next } = decide(state);
      if (next === undefined) return result;
      const lines = entries.map(({ text }) => `${text}\n`).join("");
      const bytes = Buffer.from(lines + toStateLine(next, entries));
      this.#append(fd, bytes);
      if (isSynced) fdatasyncSync(fd);
      if (this.#seqs.size === state.lastSeq) {
        for (const [i, { id }] of entries.entries()) this.#seqs.set(id, state.lastSeq + 1 + i);
      }
      this.#take(bytes);
      return result;
    });
  }

  /** Incarnation seen by the last `refresh`. Undefined if the session has no entry. */
  get incarnation(): string | undefined {
    if (this.#state?.incarnation !== undefined) return this.#state.incarnation;
    const [first] = this.#incarnation === undefined ? this.entries(0, 1) : [];
    return (this.#incarnation ??= first && incarnationOf(first));
  }

  /** Entries seen by the last `refresh`. */
  entries(after: number, limit: number): StoredEntry[] {
    const first = Math.max(0, after) + 1;
    const last = Math.min(this.#starts.length - 1, first - 1 + limit);
    if (last < first) return [];
    const from = this.#startOf(first);
    const bytes = this.#open("r", (fd) => readRange(fd, from, this.#endOf(last)));
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const seq = first + i;
      const line = bytes.subarray(this.#startOf(seq) - from, this.#endOf(seq) - from);
      checkSum(line, seq, this.#sums[seq], checksumOf);
      return toEntry(line.toString("utf8"), seq);
    });
  }

  /** Undefined if no entry has this id. */
  seqOf(id: string): number | undefined {
    for (const entry of this.entries(this.#seqs.size, Infinity)) {
      this.#seqs.set(entry.id, entry.seq);
    }
    return this.#seqs.get(id);
  }

  #startOf(seq: number): number {
    return this.#starts[seq] ?? 0;
  }

  #endOf(seq: number): number {
    return this.#ends[seq] ?? 0;
  }

  /** Nested calls use the same descriptor. */
  #open<T>(flags: "r" | "r+", work: (fd: number) => T): T {
    if (this.#fd !== undefined) return work(this.#fd);
    const fd = openSync(this.#path, flags);
    this.#fd = fd;
    try {
      this.#recognise(fd);
      return work(fd);
    } finally {
      this.#fd = undefined;
      closeSync(fd);
    }
  }

  /** Forgets everything if the session was deleted and another one has its name. */
  #recognise(fd: number): void {
    const firstLine = readRange(fd, 0, firstLineBytes).toString("latin1");
    if (firstLine === this.#firstLine) return;
    this.#firstLine = firstLine;
    this.#knownBytes = firstLineBytes;
    this.#state = undefined;
    this.#starts = [0];
    this.#ends = [0];
    this.#sums = [undefined];
    this.#seqs = new Map();
    this.#incarnation = undefined;
  }

  #catchUp(fd: number): SessionState {
    const { size } = fstatSync(fd);
    if (size > this.#knownBytes) this.#take(readRange(fd, this.#knownBytes, size));
    if (this.#state?.lastSeq === this.#starts.length - 1) return this.#state;
    throw this.#damaged(`its state does not match its ${this.#starts.length - 1} entries`);
  }

  /** Parses the bytes after the known ones. */
  #take(bytes: Buffer): void {
    const from = this.#knownBytes;
    const starts: number[] = [];
    const ends: number[] = [];
    let stateLine: Buffer | undefined;
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const line = bytes.subarray(start, end);
      // Any other first byte means a damaged entry.
      if (line[0] === brace || !isStateLine(line)) {
        starts.push(from + start);
        ends.push(from + end);
      } else {
        stateLine = line;
        const sums = checksumsIn(line)?.entries;
        for (let i = 0; i < starts.length; i += 1) this.#sums.push(sums?.[i]);
        for (const each of starts.splice(0)) this.#starts.push(each);
        for (const each of ends.splice(0)) this.#ends.push(each);
        this.#knownBytes = from + end + 1;
      }
      start = end + 1;
    }
    if (stateLine === undefined) return;
    this.#state = parseStateLine(stateLine);
  }

  /** Cuts off the tail of an earlier incomplete write. If this write fails, it leaves such a tail itself. */
  #append(fd: number, bytes: Buffer): void {
    const end = this.#knownBytes;
    if (fstatSync(fd).size > end) ftruncateSync(fd, end);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(fd, bytes, done, bytes.length - done, end + done);
    }
  }

  #damaged(why: string): RepositoryError {
    const message = `The log ${this.#path} is damaged: ${why}. Restore it from a backup`;
    return new RepositoryError("unavailable", this.#state?.id ?? "", message);
  }
}

/** Shorter if the file ends before. */
function readRange(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(fd, bytes, done, bytes.length - done, from + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

/** Notes between the handles of one folder, in a file that all of them append to. */
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import type { Note } from "../watch/outbox.ts";

/** Size at which the file is truncated. Handles that have not read the end by then lose it. */
const maxBytes = 4_000_000;

export class NoteFile {
  readonly #path: string;
  readonly #sender = randomUUID();
  #readBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Skips earlier notes: no listener here needs them. */
  start(): void {
    this.#readBytes = this.#size();
  }

  send(notes: readonly Note[]): void {
    if (this.#size() > maxBytes) truncateSync(this.#path);
    appendFileSync(this.#path, `${JSON.stringify({ sender: this.#sender, notes })}\n`);
  }

  /** Returns notes of other handles since the last call. */
  receive(): Note[] {
    const size = this.#size();
    if (size < this.#readBytes) this.#readBytes = 0;
    if (size === this.#readBytes) return [];
    const bytes = this.#read(size - this.#readBytes);
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#readBytes += end;
    const lines = bytes.toString("utf8", 0, end).split("\n");
    return lines.flatMap((line) => this.#parse(line));
  }

  #size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  #read(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const fd = openSync(this.#path, "r");
    try {
      return bytes.subarray(0, readSync(fd, bytes, 0, length, this.#readBytes));
    } finally {
      closeSync(fd);
    }
  }

  /** Empty for our own lines and for invalid ones. */
  #parse(line: string): readonly Note[] {
    try {
      // Written by another handle's `send`.
      const sent = JSON.parse(line) as { readonly sender: string; readonly notes: Note[] };
      return sent.sender === this.#sender ? [] : sent.notes;
    } catch {
      // The line was overwritten while it was read. Notes are hints and may be lost.
      return [];
    }
  }
}

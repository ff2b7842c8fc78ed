/** The envelopes of one owner's entries. */
import type { EntryEnvelope } from "@capstan/log";
import { entryVersion } from "@capstan/log";
import type { SessionLog } from "./session-log.ts";

export class Envelopes {
  readonly #log: SessionLog;
  readonly #epoch: number;
  #count = 0;
  #seq = 0;
  #at = 0;

  constructor(log: SessionLog, epoch: number) {
    this.#log = log;
    this.#epoch = epoch;
  }

  /** Starts an append: the next envelopes get the positions after the end of the log. */
  begin(now: number): void {
    this.#seq = this.#log.fold.seq;
    this.#at = now;
  }

  next(): EntryEnvelope & { readonly seq: number } {
    this.#count += 1;
    this.#seq += 1;
    // Unique in the session, because no two owners have the same epoch.
    const id = `${this.#epoch}~${this.#count}`;
    return { v: entryVersion, id, seq: this.#seq, at: this.#at };
  }
}

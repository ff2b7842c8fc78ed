/** The envelopes of one owner's entries. */
import type { EntryEnvelope } from "@capstan/log";
import { entryVersion } from "@capstan/log";
import type { SessionLog } from "./session-log.ts";

export class Envelopes {
  readonly #log: SessionLog;
  readonly #after: number;
  #owner: number | string;
  #count = 0;
  #seq = 0;
  #at = 0;

  /** `owner` is the epoch, or a name that no other owner uses. `after` is a seq that the log has, or will have before the next append. */
  constructor(log: SessionLog, owner: number | string, after = 0) {
    this.#log = log;
    this.#owner = owner;
    this.#after = after;
  }

  /** Names the next entries by the epoch, once it is known. */
  own(epoch: number): void {
    this.#owner = epoch;
  }

  /** Starts an append: the next envelopes get the positions after the end of the log. */
  begin(now: number): void {
    this.#seq = Math.max(this.#log.fold.seq, this.#after);
    this.#at = now;
  }

  next(): EntryEnvelope & { readonly seq: number } {
    this.#count += 1;
    this.#seq += 1;
    // Unique in the session, because no two owners have the same epoch.
    const id = `${this.#owner}~${this.#count}`;
    return { v: entryVersion, id, seq: this.#seq, at: this.#at };
  }
}

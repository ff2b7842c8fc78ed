/** The last checkpoint in the log, and whether another one would save readers something. */
import type { EntryOf } from "../entries/entries.ts";

export class CheckpointFold {
  #seq: number | undefined;
  /** Whether models are shown less of the past since then. */
  #isShortened = false;
  /** Number of messages that were left then: a checkpoint has them. */
  #kept = 0;
  #hasSkipped = false;

  /** Seq of the last checkpoint from which the log can be read; undefined if there is none. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Number of entries that a checkpoint after this entry would save; 0 if models are shown everything that they were at the last one. */
  unchecked(seq: number): number {
    return this.#isShortened && this.isPossible
      ? Math.max(0, seq - (this.#seq ?? 0) - this.#kept)
      : 0;
  }

  /** Called for an entry that only a newer program knows: the state lacks its effect. */
  skip(): void {
    this.#hasSkipped = true;
  }

  /** Whether the state is the one that every program would have. */
  get isPossible(): boolean {
    return !this.#hasSkipped;
  }

  take({ seq, state }: EntryOf<"checkpoint">): void {
    // Posts may have come in between: then it is not the state before itself.
    if (state.seq !== seq - 1) return;
    this.#seq = seq;
    this.#isShortened = false;
  }

  /** Called when a summary replaces all messages but this number, or the history is replaced by as many. */
  shorten(kept: number): void {
    this.#isShortened = true;
    this.#kept = kept;
  }
}

/** The entries of one turn outside of any session: what becomes of the facts that the kernel tells its journal. */
import type { Fact } from "@capstan/kernel";
import type { Entry, FactContext } from "@capstan/log";
import { entriesOfFacts, entryVersion } from "@capstan/log";

export class TurnEntries {
  readonly #context: FactContext;
  #seq: number;
  #at = 0;

  /** They go on behind the entry at this place. */
  constructor(turnId: string, lastSeq: number) {
    this.#seq = lastSeq;
    this.#context = { turnId, envelope: () => this.envelope() };
  }

  envelope(): {
    readonly v: number;
    readonly id: string;
    readonly seq: number;
    readonly at: number;
  } {
    const seq = ++this.#seq;
    return { v: entryVersion, id: `1~${seq}`, seq, at: this.#at };
  }

  of(facts: readonly Fact[]): Entry[] {
    this.#at = Date.now();
    return entriesOfFacts(facts, this.#context);
  }
}

/** Starts of children that are about to be recorded: those of calls that begin at the same moment are one append. */
import type { ChildStart, ParentSession } from "./start-child.ts";

export class ChildStarts {
  readonly #parent: Pick<ParentSession, "append">;
  /** Starts that will be in the log in a moment, unless the store fails. */
  readonly #expected = new Set<ChildStart>();
  /** Starts of the next append. */
  #gathered: ChildStart[] = [];
  #recording: Promise<void> | undefined;

  constructor(parent: Pick<ParentSession, "append">) {
    this.#parent = parent;
  }

  /** Number of children that will be in the log in a moment. */
  get expectedCount(): number {
    return this.#expected.size;
  }

  /** Returns a function that records the start. The caller must call it. */
  expect(start: ChildStart): () => Promise<void> {
    this.#expected.add(start);
    return () => {
      this.#gathered.push(start);
      return (this.#recording ??= this.#record());
    };
  }

  async #record(): Promise<void> {
    // The other calls of the step are at the same point.
    await Promise.resolve();
    const starts = this.#gathered;
    this.#gathered = [];
    this.#recording = undefined;
    try {
      await this.#parent.append(starts);
    } finally {
      for (const start of starts) this.#expected.delete(start);
    }
  }
}

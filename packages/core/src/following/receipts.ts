/** What became of what was posted, for those who posted it. */
import type { QueueOutcome } from "@capstan/log";

/** What was posted is in the log. */
export interface Receipt<Outcome = QueueOutcome> {
  readonly id: string;
  /**
   * Resolves when it is known, in whichever process that is: a queued message is delivered or returned. Rejects with `host_closed` where nobody listens
   * any more.
   */
  readonly outcome: Promise<Outcome>;
}

interface Waiting<Outcome> {
  readonly receipt: Receipt<Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: Error) => void;
}

export class Receipts<Outcome> {
  readonly #outcomeOf: (id: string) => Outcome | undefined;
  readonly #waiting = new Map<string, Waiting<Outcome>>();
  #end: Error | undefined;

  /** `outcomeOf` is asked again whenever entries were folded. */
  constructor(outcomeOf: (id: string) => Outcome | undefined) {
    this.#outcomeOf = outcomeOf;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  of(id: string): Receipt<Outcome> {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.receipt;
    const { promise: outcome, resolve, reject } = Promise.withResolvers<Outcome>();
    // Many never look at it.
    outcome.catch(() => {});
    const receipt = { id, outcome };
    if (this.#end !== undefined) {
      reject(this.#end);
      return receipt;
    }
    this.#waiting.set(id, { receipt, resolve, reject });
    this.update();
    return receipt;
  }

  /** Nobody here will hear of it. */
  fail(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  /** The same for good: the session is gone. */
  end(reason: Error): void {
    this.#end = reason;
    this.fail(reason);
  }

  /** Entries were folded. */
  update(): void {
    if (this.#waiting.size === 0) return;
    for (const [id, { resolve }] of this.#waiting) {
      const outcome = this.#outcomeOf(id);
      if (outcome === undefined) continue;
      this.#waiting.delete(id);
      resolve(outcome);
    }
  }
}

/** What became of queued messages, for those who queued them. */
import type { QueueOutcome, SessionFold } from "@capstan/log";

/** The message is in the log. */
export interface Receipt {
  readonly id: string;
  /** Resolves when the message is delivered or returned, in whichever process. */
  readonly outcome: Promise<QueueOutcome>;
}

interface Waiting {
  readonly receipt: Receipt;
  readonly resolve: (outcome: QueueOutcome) => void;
}

export class Receipts {
  readonly #fold: SessionFold;
  readonly #waiting = new Map<string, Waiting>();

  constructor(fold: SessionFold) {
    this.#fold = fold;
  }

  of(id: string): Receipt {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.receipt;
    const { promise: outcome, resolve } = Promise.withResolvers<QueueOutcome>();
    const receipt = { id, outcome };
    this.#waiting.set(id, { receipt, resolve });
    this.update();
    return receipt;
  }

  /** Entries were folded. */
  update(): void {
    for (const [id, { resolve }] of this.#waiting) {
      const outcome = this.#fold.queues.outcomeOf(id);
      if (outcome === undefined) continue;
      this.#waiting.delete(id);
      resolve(outcome);
    }
  }
}

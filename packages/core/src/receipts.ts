/** What became of queued messages, for those who queued them. */
import type { QueueOutcome, SessionFold } from "@capstan/log";

/** The message is in the log. */
export interface Receipt {
  readonly id: string;
  /** Resolves when the message is delivered or returned, in whichever process. Rejects with `host_closed` where nobody listens any more. */
  readonly outcome: Promise<QueueOutcome>;
}

interface Waiting {
  readonly receipt: Receipt;
  readonly resolve: (outcome: QueueOutcome) => void;
  readonly reject: (reason: Error) => void;
}

export class Receipts {
  readonly #fold: SessionFold;
  readonly #waiting = new Map<string, Waiting>();

  constructor(fold: SessionFold) {
    this.#fold = fold;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  of(id: string): Receipt {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.receipt;
    const { promise: outcome, resolve, reject } = Promise.withResolvers<QueueOutcome>();
    // Many never look at it.
    outcome.catch(() => {});
    const receipt = { id, outcome };
    this.#waiting.set(id, { receipt, resolve, reject });
    this.update();
    return receipt;
  }

  /** Nobody here will hear of it. */
  fail(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  /** Entries were folded. */
  update(): void {
    if (this.#waiting.size === 0) return;
    for (const [id, { resolve }] of this.#waiting) {
      const outcome = this.#fold.queues.outcomeOf(id);
      if (outcome === undefined) continue;
      this.#waiting.delete(id);
      resolve(outcome);
    }
  }
}

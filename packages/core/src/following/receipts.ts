/** Outcomes of posted entries, for the callers that posted them. */
import type { QueueOutcome } from "@capstan/log";

/** Confirms that an entry is in the log. */
export interface Receipt<Outcome = QueueOutcome> {
  readonly id: string;
  /**
   * Resolves once the outcome is known, in whichever process: a queued message is delivered or returned. Rejects with `host_closed` if this
   * process stops following the session.
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
  /** Undefined until a receipt is requested: every session has two of these lists, and most stay empty. */
  #waiting: Map<string, Waiting<Outcome>> | undefined;
  #end: Error | undefined;

  /** `outcomeOf` is called again whenever entries were folded. */
  constructor(outcomeOf: (id: string) => Outcome | undefined) {
    this.#outcomeOf = outcomeOf;
  }

  get isEmpty(): boolean {
    return this.#waiting === undefined || this.#waiting.size === 0;
  }

  of(id: string): Receipt<Outcome> {
    const known = this.#waiting?.get(id);
    if (known !== undefined) return known.receipt;
    const { promise: outcome, resolve, reject } = Promise.withResolvers<Outcome>();
    // Many callers never await it.
    outcome.catch(() => {});
    const receipt = { id, outcome };
    if (this.#end !== undefined) {
      reject(this.#end);
      return receipt;
    }
    (this.#waiting ??= new Map()).set(id, { receipt, resolve, reject });
    this.update();
    return receipt;
  }

  /** Rejects all receipts: this process stops following the session. */
  fail(reason: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const { reject } of waiting?.values() ?? []) reject(reason);
  }

  /** Rejects all receipts, also later ones: the session is gone. */
  end(reason: Error): void {
    this.#end = reason;
    this.fail(reason);
  }

  /** Called when entries were folded. */
  update(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    for (const [id, { resolve }] of waiting) {
      const outcome = this.#outcomeOf(id);
      if (outcome === undefined) continue;
      waiting.delete(id);
      resolve(outcome);
    }
  }
}

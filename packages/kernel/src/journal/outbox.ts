/** Facts on their way to the journal: in order, one call at a time, and nothing shown before its fact is safe. */
import type { Callbacks } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { Fact, Journal, JournalReply } from "../contracts/journal.ts";
import { TurnError, serializeError } from "../errors/errors.ts";

/** Who has to know when the journal failed. */
interface OutboxOwner {
  fail(error: TurnError): void;
}

/** What a fact announces: it happens once the journal has the fact. */
type Effect = (reply: JournalReply) => void;

/** What goes to the journal in one call. */
interface Batch {
  readonly facts: Fact[];
  readonly effects: Effect[];
}

export class Outbox {
  readonly #journal: Journal;
  readonly #callbacks: Callbacks;
  readonly #owner: OutboxOwner;
  #waiting: Batch | undefined;
  #flushing: Promise<void> | undefined;
  #isFailed = false;
  #isTakingEffect = false;

  constructor(journal: Journal, callbacks: Callbacks, owner: OutboxOwner) {
    this.#journal = journal;
    this.#callbacks = callbacks;
    this.#owner = owner;
  }

  /** Queues a fact for the next `flush`. After a failure nothing happens any more. */
  add(fact: Fact, effect: Effect): void {
    this.addAll([fact], effect);
  }

  /** The same for several that have one effect together. */
  addAll(facts: Fact[], effect: Effect): void {
    const batch = this.#waiting;
    if (batch === undefined) {
      this.#waiting = { facts, effects: [effect] };
      return;
    }
    batch.facts.push(...facts);
    batch.effects.push(effect);
  }

  /**
   * Hands over what waits, in one call, and lets it take effect. What is added meanwhile goes with the next call.
   * Returns a promise only if the journal did.
   */
  flush(): Promise<void> | undefined {
    if (this.#flushing !== undefined) return this.#flushing;
    // A tool that answers at once settles while others of its batch have yet to take effect: it has to wait for them.
    if (this.#isTakingEffect) return undefined;
    while (this.#waiting !== undefined && !this.#isFailed) {
      const batch = this.#waiting;
      this.#waiting = undefined;
      const reply = this.#write(batch);
      if (isPromise(reply)) {
        this.#flushing = this.#finish(batch, reply);
        return this.#flushing;
      }
      if (this.#isFailed) break;
      try {
        this.#takeEffect(batch, reply);
      } catch (thrown) {
        this.#fail(thrown);
      }
    }
    return undefined;
  }

  #write({ facts }: Batch): JournalReply | Promise<JournalReply> {
    try {
      return this.#callbacks.callToEnd("journal", () => this.#journal(facts));
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  async #finish(batch: Batch, pending: Promise<JournalReply>): Promise<void> {
    try {
      const reply = await pending;
      this.#flushing = undefined;
      this.#takeEffect(batch, reply);
    } catch (thrown) {
      this.#flushing = undefined;
      this.#fail(thrown);
    }
    await this.flush();
  }

  #takeEffect({ effects }: Batch, reply: JournalReply): void {
    this.#isTakingEffect = true;
    // Code without types may answer anything.
    const answer = reply === "reopen" ? reply : undefined;
    try {
      for (const effect of effects) effect(answer);
    } finally {
      this.#isTakingEffect = false;
    }
  }

  #fail(thrown: unknown): undefined {
    this.#isFailed = true;
    this.#waiting = undefined;
    this.#owner.fail(unrecorded(thrown));
  }
}

export function unrecorded(thrown: unknown): TurnError {
  const { message: why } = serializeError(thrown);
  const message = `The turn stopped, as its facts could not be recorded; go on from those that are. The reason: ${why}`;
  return new TurnError("journal_failed", message, { cause: thrown });
}

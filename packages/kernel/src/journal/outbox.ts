/** Facts on their way to the journal: in order, one call at a time. Nothing is shown before its fact is stored. */
import type { Callbacks } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { Fact, Journal, JournalReply } from "../contracts/journal.ts";
import { TurnError, serializeError } from "../errors/errors.ts";

/** The effect that a fact announces: it happens once the journal has the fact. */
export type Effect = () => void;

interface OutboxOwner {
  /** Called once the journal has the fact. */
  onRecorded(fact: Fact, effect: Effect | undefined): void;
  /** Called if the journal failed. */
  fail(error: TurnError): void;
}

interface Recorded {
  readonly fact: Fact;
  readonly effect: Effect | undefined;
}

/** Facts for one call of the journal. */
interface Batch {
  readonly recorded: Recorded[];
  /** The journal gets this list, and may change it. */
  readonly facts: Fact[];
  /** That of the last fact. */
  isFollowed: boolean;
}

export class Outbox {
  readonly #journal: Journal;
  readonly #callbacks: Callbacks;
  readonly #owner: OutboxOwner;
  /** Facts for the next call of the journal. */
  #waiting: Batch | undefined;
  #flushing: Promise<void> | undefined;
  #isFailed = false;
  #isTakingEffect = false;

  constructor(journal: Journal, callbacks: Callbacks, owner: OutboxOwner) {
    this.#journal = journal;
    this.#callbacks = callbacks;
    this.#owner = owner;
  }

  /** Queues a fact for the next `flush`. After a failure no fact is handed over. `isFollowed`: see `Journal`. */
  add(fact: Fact, effect: Effect | undefined, isFollowed: boolean): void {
    const batch = (this.#waiting ??= { recorded: [], facts: [], isFollowed });
    batch.recorded.push({ fact, effect });
    batch.facts.push(fact);
    batch.isFollowed = isFollowed;
  }

  /**
   * Hands the waiting facts over in one call, and lets them take effect. Facts that are added in the meantime go with the next call. Returns
   * a promise only if the journal did.
   */
  flush(): Promise<void> | undefined {
    if (this.#flushing !== undefined) return this.#flushing;
    // A tool that answers synchronously settles while other effects of its batch are still to come: it must wait for them.
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

  #write({ facts, isFollowed }: Batch): JournalReply | Promise<JournalReply> {
    try {
      return this.#callbacks.callToEnd("journal", () => this.#journal(facts, isFollowed));
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

  #takeEffect({ recorded }: Batch, reply: JournalReply): void {
    this.#isTakingEffect = true;
    try {
      for (const { fact, effect } of recorded) {
        if (reply === "reopen" && isUndone(fact)) continue;
        this.#owner.onRecorded(fact, effect);
      }
    } finally {
      this.#isTakingEffect = false;
    }
  }

  #fail(thrown: unknown): undefined {
    this.#isFailed = true;
    this.#owner.fail(unrecorded(thrown));
  }
}

/** Whether "reopen" undoes it. A turn that has failed stays ended, whatever the journal returns. */
function isUndone(fact: Fact): boolean {
  return fact.type === "turn_ended" && fact.error === undefined;
}

export function unrecorded(thrown: unknown): TurnError {
  const { message: why } = serializeError(thrown);
  const message = `The turn stopped because its facts could not be recorded. Continue from the recorded facts. Reason: ${why}`;
  return new TurnError("journal_failed", message, { cause: thrown });
}

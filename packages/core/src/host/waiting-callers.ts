/** Callers in this process that wait for something of a session: each gets it, or the reason why it will not come. */
import type { CompactionOutcome, QueueOutcome } from "@capstan/log";
import type { SessionError } from "../errors/session-error.ts";
import type { Readers } from "../following/readers.ts";
import { Receipts } from "../following/receipts.ts";
import type { SessionLog } from "../owner/session-log.ts";

/**
 * `claimed`: the lease that was asked for is held, or another host has it. `idle`: nothing happens by itself. `children_at_rest`: likewise,
 * and no child works in the background.
 */
type Awaited = "claimed" | "idle" | "children_at_rest";

interface Waiter {
  readonly awaited: Awaited;
  readonly resolve: () => void;
  readonly reject: (why: Error) => void;
}

/** Makes an error only if there is a caller for it: most sessions are closed while no caller waits, and a stack trace takes longer than the rest. */
type ToReason = () => SessionError;

const none: readonly never[] = [];

export class WaitingCallers {
  readonly #log: SessionLog;
  readonly #readers: Readers;
  #waiters: readonly Waiter[] = none;
  /** Created with the first of them. */
  #receipts: Receipts<QueueOutcome> | undefined;
  #compactions: Receipts<CompactionOutcome> | undefined;
  /** Set while no host can continue the work, as far as this process knows: the reason. */
  #stuck: Error | undefined;
  /** Set once nothing of the session reaches callers here any more, because it is gone or was closed: makes the reason. */
  #end: ToReason | undefined;

  constructor(log: SessionLog, readers: Readers) {
    this.#log = log;
    this.#readers = readers;
  }

  /** Readers are callers that wait, too. */
  get isEmpty(): boolean {
    const hasReceipts = this.#receipts?.isEmpty === false || this.#compactions?.isEmpty === false;
    return !hasReceipts && this.#waiters.length === 0 && this.#readers.isEmpty;
  }

  /** Receipts of queued messages. */
  get receipts(): Receipts<QueueOutcome> {
    const { queues } = this.#log.fold;
    return (this.#receipts ??= this.#newReceipts((id) => queues.outcomeOf(id)));
  }

  /** Receipts of requested compactions. */
  get compactions(): Receipts<CompactionOutcome> {
    const { compactions } = this.#log.fold;
    return (this.#compactions ??= this.#newReceipts((id) => compactions.outcomeOf(id)));
  }

  #newReceipts<Outcome>(outcomeOf: (id: string) => Outcome | undefined): Receipts<Outcome> {
    const receipts = new Receipts(outcomeOf);
    if (this.#end !== undefined) receipts.end(this.#end());
    return receipts;
  }

  /** Called when entries were folded: outcomes may be known. */
  update(): void {
    this.#receipts?.update();
    this.#compactions?.update();
  }

  /** Rejects if callers would wait in vain here. */
  async untilAtRest(awaited: "idle" | "children_at_rest"): Promise<void> {
    const why = this.#end?.() ?? this.#stuck;
    if (why !== undefined) throw why;
    await this.until(awaited);
  }

  until(awaited: Awaited): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters = [...this.#waiters, { awaited, resolve, reject }];
    return promise;
  }

  /** Called when the session is there. */
  reach(awaited: Awaited): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    const others = waiters.filter((waiter) => waiter.awaited !== awaited);
    this.#waiters = others.length === 0 ? none : others;
    for (const waiter of waiters) if (waiter.awaited === awaited) waiter.resolve();
  }

  /** No host can continue the work: fails all callers, and those that ask before `unblock`. */
  block(why: Error): void {
    this.#stuck = why;
    this.#fail(why);
  }

  /** Something has changed: the work may continue. */
  unblock(): void {
    this.#stuck = undefined;
  }

  /** Fails all callers, and what they ask for later, too: a send that is under way may be stored after the session was closed. */
  end(toReason: ToReason): void {
    this.#end = toReason;
    this.#readers.close(toReason);
    this.#receipts?.end(toReason());
    this.#compactions?.end(toReason());
    if (this.#waiters.length > 0) this.#failWaiters(toReason());
  }

  #fail(why: Error): void {
    this.#readers.fail(why);
    this.#receipts?.fail(why);
    this.#compactions?.fail(why);
    this.#failWaiters(why);
  }

  #failWaiters(why: Error): void {
    const waiters = this.#waiters;
    this.#waiters = none;
    for (const { awaited, resolve, reject } of waiters) {
      // Callers that wait for the lease look again.
      if (awaited === "claimed") resolve();
      else reject(why);
    }
  }
}

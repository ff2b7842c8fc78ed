/** A call that its own tool has suspended: its questions, and when the tool runs again. */
import type { OpenCall, PendingCall, Resumption } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import { WaitingCall } from "./waiting-call.ts";

export class SuspendedCall {
  readonly #entry: EntryOf<"suspended">;
  #questions: readonly WaitingCall[];
  /** Whether its time has come, or a report has come that it had not seen. */
  #isWoken = false;

  constructor(entry: EntryOf<"suspended">) {
    this.#entry = entry;
    this.#questions = entry.pending.map((pending) => new WaitingCall(pending));
  }

  get entry(): EntryOf<"suspended"> {
    return this.#entry;
  }

  get questions(): readonly WaitingCall[] {
    return this.#questions;
  }

  /** Replaces the questions by those of a newer report. */
  ask(pending: readonly PendingCall[]): void {
    this.#questions = pending.map((call) => new WaitingCall(call));
  }

  wake(): void {
    this.#isWoken = true;
  }

  /** Closes questions whose deadline has passed at this moment, and wakes the call if its time has come. */
  giveUp(at: number): void {
    for (const question of this.#questions) question.giveUp(at);
    if ((this.#entry.wakeAt ?? Infinity) <= at) this.wake();
  }

  /** Whether the tool runs again. */
  get isReady(): boolean {
    return this.isReadyAt(-Infinity);
  }

  /** Whether the tool would run again in a turn that continues at this time. */
  isReadyAt(now: number): boolean {
    if (this.#isWoken || (this.#entry.wakeAt ?? Infinity) <= now) return true;
    return this.#questions.length > 0 && this.#questions.every((each) => each.isDoneAt(now));
  }

  /** Time at which the tool runs again by itself; undefined if it does not. */
  get wakeAt(): number | undefined {
    const open = this.#questions.flatMap(({ pending, answer }) =>
      answer === undefined ? deadlineOf(pending) : [],
    );
    const deadline = open.length === 0 ? Infinity : Math.max(...open);
    const wakeAt = Math.min(deadline, this.#entry.wakeAt ?? Infinity);
    return wakeAt === Infinity ? undefined : wakeAt;
  }

  get resumed(): Resumption {
    const answers = this.#questions.flatMap(({ answer }) => answer ?? []);
    const { state, isNested } = this.#entry;
    return isNested === true ? { state, answers, isNested } : { state, answers };
  }

  /** State of the call for the kernel. */
  toOpen(): OpenCall {
    const { toolCallId, input } = this.#entry;
    const call = { toolCallId, ...(input !== undefined && { input }) };
    if (this.isReady) return { ...call, state: "resumed", resumed: this.resumed };
    const pending = this.#questions.map((each) => each.pending);
    return { ...call, state: "suspended", pending };
  }
}

/** The deadline of a child's call is the child's business. */
function deadlineOf({ deadlineAt = Infinity, via }: PendingCall): number {
  return via === undefined ? deadlineAt : Infinity;
}

/** A question to the outside that is open in the log: a pending call, or one that a suspended call asks. */
import type { Answered, OpenCall, PendingCall } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import { isOverdue } from "../repository/is-overdue.ts";
import type { CallClaim, Refusal } from "./call-states.ts";

/** Result that the model gets for a call that was not answered in time. */
const unanswered = { isError: true, output: "This call was not answered in time." } as const;

export class WaitingCall {
  readonly pending: PendingCall;
  /** The first answer counts. */
  #answer: Answered | undefined;
  /** Its time has run out: a generated answer replaces the missing one. */
  #isGivenUp = false;
  #claim: CallClaim | undefined;

  constructor(pending: PendingCall) {
    this.pending = pending;
  }

  get answer(): Answered | undefined {
    return this.#answer;
  }

  /** The answer as the kernel takes it. An approval runs exactly what was shown. */
  get open(): OpenCall | undefined {
    const answer = this.#answer;
    return answer?.state === "approved" ? { ...answer, input: this.pending.input } : answer;
  }

  /** Claim of the call, even if it has expired; undefined once it is answered. */
  get claim(): CallClaim | undefined {
    return this.#answer === undefined ? this.#claim : undefined;
  }

  /** Whether it is answered, or has no time left. */
  isDoneAt(now: number): boolean {
    return this.#answer !== undefined || this.#isOverdue(now);
  }

  /** The deadline of a child's call is the child's business. */
  #isOverdue(now: number): boolean {
    return this.pending.via === undefined && isOverdue(this.pending, now);
  }

  /** Closes the call if its deadline has passed at this moment: it can no longer be answered. */
  giveUp(at: number): void {
    if (this.#answer !== undefined || !this.#isOverdue(at)) return;
    this.#isGivenUp = true;
    this.#answer = { toolCallId: this.pending.toolCallId, state: "settled", result: unanswered };
  }

  /** Answers it on behalf of the user, unless it is answered: approvals are denied, executions fail. The reason is for the model. */
  settle(reason: string): void {
    const { toolCallId, kind } = this.pending;
    const result = { isError: true, output: `Not answered: ${reason}` };
    this.#answer ??=
      kind === "approval"
        ? { toolCallId, state: "denied", reason }
        : { toolCallId, state: "settled", result };
  }

  /** Takes a posted answer, or returns why it is refused. */
  take(entry: EntryOf<"answer"> | EntryOf<"decision">): Refusal | undefined {
    if (this.#isGivenUp) return "not_pending";
    if (this.#answer !== undefined) return "already_answered";
    const { pending } = this;
    const { toolCallId } = entry;
    if (entry.type === "answer") {
      if (pending.kind !== "execution") return "wrong_kind";
      this.#answer = { toolCallId, state: "settled", result: entry.result };
      return undefined;
    }
    if (pending.kind !== "approval") return "wrong_kind";
    if (pending.hash !== entry.hash) return "hash_mismatch";
    const { reason } = entry;
    this.#answer = entry.isApproved
      ? { toolCallId, state: "approved" }
      : { toolCallId, state: "denied", ...(reason !== undefined && { reason }) };
    return undefined;
  }

  /** Lets a client run the call, or returns why it is refused. A client that already has the call extends its claim. */
  claimFor(entry: EntryOf<"call_claimed">): Refusal | undefined {
    const { toolCallId, claimedBy, leaseMs, at } = entry;
    if (this.#isGivenUp) return "not_pending";
    if (this.#answer !== undefined) return "already_answered";
    if (this.pending.kind !== "execution") return "wrong_kind";
    const claim = this.#claim;
    const isTaken = claim !== undefined && claim.claimedBy !== claimedBy && claim.until > at;
    if (isTaken) return "already_claimed";
    this.#claim = { toolCallId, claimedBy, until: at + leaseMs };
    return undefined;
  }
}

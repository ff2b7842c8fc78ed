/** Calls that a handle has shown to its caller: an approval by id means the input that was shown last. */
import type { PendingCall } from "@capstan/kernel";
import type { SessionEvent } from "../events/session-event.ts";
import type { Approval } from "./answers.ts";

/** A pending call to approve or deny: the call itself, its id with the hash of what was shown, or its id alone. */
export type CallToDecide = string | Pick<PendingCall, "toolCallId" | "hash">;

/** Pending calls that this process has seen. Only these can be approved by their id. */
export class ShownCalls {
  readonly #sessionId: string;
  readonly #notShown: (sessionId: string, toolCallId: string) => Error;
  #hashes: Map<string, string> | undefined;

  /** `notShown` makes the error for the id of a call that was not shown. */
  constructor(sessionId: string, notShown: (sessionId: string, toolCallId: string) => Error) {
    this.#sessionId = sessionId;
    this.#notShown = notShown;
  }

  /** Remembers the calls and returns them. */
  note(calls: readonly PendingCall[]): readonly PendingCall[] {
    if (calls.length === 0) return calls;
    const hashes = (this.#hashes ??= new Map());
    for (const { toolCallId, hash } of calls) hashes.set(toolCallId, hash);
    return calls;
  }

  noteEvent(event: SessionEvent): void {
    switch (event.type) {
      case "awaiting_tool_execution":
      case "child_waiting":
      case "turn_end":
        if (event.pending !== undefined) this.note(event.pending);
        return;
      default:
        return;
    }
  }

  /** Throws for the id of a call that was not shown. */
  toApproval(call: CallToDecide, approved: boolean, reason?: string): Approval {
    const { toolCallId, hash } = typeof call === "string" ? this.#find(call) : call;
    return { toolCallId, hash, approved, ...(reason !== undefined && { reason }) };
  }

  #find(toolCallId: string): Pick<PendingCall, "toolCallId" | "hash"> {
    const hash = this.#hashes?.get(toolCallId);
    if (hash === undefined) throw this.#notShown(this.#sessionId, toolCallId);
    return { toolCallId, hash };
  }
}

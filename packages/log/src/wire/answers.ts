/** Answers to pending calls: results of remote tools, and approvals. */
import type { JsonValue, ToolContent } from "@capstan/kernel";

/** The result of a remote call, from the caller or client that ran it. */
export interface CallAnswer {
  readonly toolCallId: string;
  readonly output: ToolContent;
  /** True if the tool failed: `output` then states why. Default false. */
  readonly isError?: boolean;
  /** For user interfaces; the model never sees it. */
  readonly details?: JsonValue;
}

/** Lets exactly the input run that `hash` was computed from, or refuses it. */
export interface Approval {
  readonly toolCallId: string;
  readonly hash: string;
  readonly approved: boolean;
  /** Shown to the model if the call is refused. */
  readonly reason?: string;
}

export type Answer = CallAnswer | Approval;

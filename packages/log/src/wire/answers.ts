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

/** The result of a remote call as a message, so that callers can answer with the tool messages they already have. */
export interface ToolResultMessage {
  readonly role: "tool" | "toolResult";
  readonly toolCallId: string;
  readonly content: ToolContent;
  readonly isError?: boolean;
  readonly details?: JsonValue;
  /** Ignored, like the id: the call's id says which tool it was. */
  readonly toolName?: string;
  readonly id?: string;
}

/** Lets exactly the input run that `hash` was computed from, or refuses it. */
export interface Approval {
  readonly toolCallId: string;
  readonly hash: string;
  readonly approved: boolean;
  /** Shown to the model if the call is refused. */
  readonly reason?: string;
}

/** Answer to a pending call: a result, or an approval. */
export type Answer = CallAnswer | Approval;

/** Converts a tool result message to the answer of its call. */
export function toCallAnswer(message: ToolResultMessage): CallAnswer {
  const { toolCallId, content, isError, details } = message;
  return {
    toolCallId,
    output: content,
    ...(isError !== undefined && { isError }),
    ...(details !== undefined && { details }),
  };
}

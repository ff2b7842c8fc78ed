/** Rules for a transcript. */
import type { ChatMessage } from "@capstan/kernel";
import type { Problem } from "./problem.ts";

/** Codes of a `TranscriptProblem`. */
export type TranscriptProblemCode =
  | "duplicate-message-id"
  | "system-not-at-start"
  | "two-assistants-in-a-row"
  | "aborted-without-user-message"
  | "malformed-content"
  | "empty-content"
  | "empty-part"
  | "not-json"
  | "malformed-call-id"
  | "duplicate-call-id"
  | "call-in-failed-message"
  | "missing-result"
  | "duplicate-result"
  | "misplaced-result"
  | "result-without-call"
  | "result-mismatch"
  | "malformed-call-succeeded";

/** A broken rule of transcripts, and the message that breaks it. */
export interface TranscriptProblem extends Problem<TranscriptProblemCode> {
  readonly messageId: string;
  readonly toolCallId?: string;
}

export function problemAt(
  message: ChatMessage,
  index: number,
  code: TranscriptProblemCode,
  text: string,
  toolCallId?: string,
): TranscriptProblem {
  const where = `${message.role} message ${JSON.stringify(message.id)}`;
  return {
    code,
    message: `${where}: ${text}`,
    index,
    messageId: message.id,
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

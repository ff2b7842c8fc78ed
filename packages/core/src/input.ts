/** What can be sent to a session, and the entries that it becomes. */
import type { ChatMessage, JsonValue, ToolContent, ToolResult, UserMessage } from "@capstan/kernel";
import type { PostedBody } from "@capstan/log";
import { chainMark } from "@capstan/log";
import { SessionError } from "./session-error.ts";

/** The result of a call that the caller has run. */
export interface CallAnswer {
  readonly toolCallId: string;
  readonly ok: boolean;
  readonly output: ToolContent;
  readonly details?: JsonValue;
}

/** Consent to exactly what `hash` stands for, or the refusal of it. */
export interface Approval {
  readonly toolCallId: string;
  readonly hash: string;
  readonly approved: boolean;
  readonly reason?: string;
}

export type Answer = CallAnswer | Approval;

export type SendInput = string | UserMessage | readonly ChatMessage[] | readonly Answer[];

export interface SendOptions {
  /** The id of the turn. Sending it again gives the same turn. */
  readonly id?: string;
}

/** The ids of tool calls begin with that of their turn, and vendors take no others. */
export function checkTurnId(id: string): string {
  if (/^[\w-]{1,48}$/.test(id) && !id.includes(chainMark)) return id;
  throw invalid(
    `The id ${JSON.stringify(id)} is none for a turn or a message: 1 to 48 letters, digits, "_" or "-", without "${chainMark}"`,
  );
}

export function checkSessionId(id: string): string {
  if (/^[\w.:@+=-]{1,128}$/.test(id)) return id;
  throw invalid(
    `The id ${JSON.stringify(id)} is none for a session: 1 to 128 letters, digits or "_ . : @ + = -"`,
  );
}

function invalid(message: string): SessionError {
  return new SessionError("invalid_input", message);
}

export function isAnswers(input: SendInput): input is readonly Answer[] {
  if (!Array.isArray(input) || input.length === 0) return false;
  // Only answers name a call and have no role.
  return (input as readonly object[]).every((item) => "toolCallId" in item && !("role" in item));
}

export function toMessages(
  input: Exclude<SendInput, readonly Answer[]>,
  id: string,
): readonly ChatMessage[] {
  if (typeof input === "string") return [toMessage(input, id)];
  if ("role" in input) return [input];
  if (input.length > 0 && input.every(isUsers)) return input;
  throw invalid(
    input.length === 0
      ? "There is nothing to send: the list of messages is empty"
      : "A turn starts with user or custom messages only",
  );
}

/** A queued message has the id of its entry. */
export function toMessage(content: string | UserMessage, id: string): UserMessage {
  if (typeof content !== "string") return { ...content, id };
  if (content.trim() !== "") return { role: "user", id, content };
  throw invalid("There is nothing to send: the text is empty");
}

export function toAnswerBody(answer: Answer): PostedBody {
  const { toolCallId } = answer;
  if ("approved" in answer) {
    const { hash, approved: isApproved, reason } = answer;
    const body = { type: "decision", toolCallId, hash, isApproved } as const;
    return reason === undefined ? body : { ...body, reason };
  }
  const { ok, output, details } = answer;
  const result: ToolResult = { isError: !ok, output, ...(details !== undefined && { details }) };
  return { type: "answer", toolCallId, result };
}

function isUsers(message: ChatMessage): boolean {
  return message.role === "user" || message.role === "custom";
}

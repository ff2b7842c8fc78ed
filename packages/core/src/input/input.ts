/** What can be sent to a session, and the entries that it becomes. */
import type {
  ChatMessage,
  CustomMessage,
  JsonValue,
  ToolResult,
  UserMessage,
  UserPart,
} from "@capstan/kernel";
import type { Answer, PostedBody } from "@capstan/log";
import { chainMark } from "@capstan/log";
import type { TurnOverrides } from "../agent/agent-init.ts";
import { checkAnswer, checkContent } from "./check-input.ts";
import { invalid } from "../errors/session-error.ts";

type NewMessage<Message> = Omit<Message, "id"> & { readonly id?: string };

/** A message of the user or of the application. Without an id it gets one. */
export type InputMessage = NewMessage<UserMessage> | NewMessage<CustomMessage>;

/** What starts a turn. */
export type TurnInput = string | readonly UserPart[] | InputMessage | readonly InputMessage[];

export interface SendOptions extends TurnOverrides {
  /** The id of the turn. Sending it again gives the same turn. Answers that are sent again with the same one count once, without an error. */
  readonly id?: string;
  /** Aborts the turn. */
  readonly signal?: AbortSignal;
  /** Kept with the messages that are made of a text or of parts. No model sees it. */
  readonly metadata?: JsonValue;
}

/** One turn: what starts it, and what differs for it. */
export interface TurnRequest extends SendOptions {
  readonly input: TurnInput;
}

export type SendInput = TurnInput | TurnRequest | readonly Answer[];

/**
 * The ids of tool calls begin with that of their turn, and vendors take no others. Replies are named after their turn and a number, so that
 * what callers name must not end like that: no two messages have one id.
 */
export function checkTurnId(id: string): string {
  if (/^[\w-]{1,48}$/.test(id) && !id.includes(chainMark) && !isLikeReply(id)) return id;
  throw invalid(
    `Not an id for a turn or a message: ${shown(id)}. Use 1 to 48 letters, digits, "_" or "-", without "${chainMark}", and without "_" and a number at the end: replies are named so`,
  );
}

/** The same for a message that has another id than its turn. */
export function checkMessageId(id: string): void {
  if (!isLikeReply(id)) return;
  throw invalid(
    `Not an id for a message: ${shown(id)}. Replies are named with "_" and a number at the end: choose another`,
  );
}

function isLikeReply(id: string): boolean {
  return /_\d+$/.test(id);
}

export function checkSessionId(id: string): string {
  if (/^[\w.:@+=-]{1,128}$/.test(id)) return id;
  throw invalid(
    `Not an id for a session: ${shown(id)}. Use 1 to 128 letters, digits or "_ . : @ + = -"`,
  );
}

/** Whoever sent it may have sent very much. */
function shown(id: string): string {
  return JSON.stringify(id.slice(0, 160));
}

export function isAnswers(input: SendInput): input is readonly Answer[] {
  // Only answers name a call and have no role.
  return isListOf(input, (item) => "toolCallId" in item && !("role" in item));
}

export function isRequest(input: SendInput): input is TurnRequest {
  return typeof input === "object" && input !== null && "input" in input;
}

/** The messages of a turn with this id. */
export function toMessages(
  input: TurnInput,
  id: string,
  metadata?: JsonValue,
): readonly ChatMessage[] {
  // Callers in JavaScript send what they like.
  if (typeof input !== "string" && !isMessageLike(input) && !Array.isArray(input)) {
    throw invalid(`A turn starts with a text, parts or messages, not with ${typeof input}`);
  }
  if (Array.isArray(input) && input.length === 0) {
    throw invalid("There is nothing to send: the list is empty. Pass at least one message");
  }
  if (typeof input === "string" || isParts(input)) {
    const message = toMessage(input, id);
    return [metadata === undefined ? message : { ...message, metadata }];
  }
  const messages: readonly InputMessage[] = "role" in input ? [input] : input;
  return messages.map((message, place) => withId(message, place === 0 ? id : `${id}-${place + 1}`));
}

/** A queued message has the id of its entry. */
export function toMessage(
  content: string | readonly UserPart[] | NewMessage<UserMessage>,
  id: string,
): UserMessage {
  if (typeof content === "object" && "role" in content) {
    return { ...content, content: checkContent(content.content), id };
  }
  return { role: "user", id, content: checkContent(content) };
}

export function toAnswerBody(answer: Answer): PostedBody {
  const { toolCallId } = answer;
  checkAnswer(answer);
  if ("approved" in answer) {
    const { hash, approved: isApproved, reason } = answer;
    const body = { type: "decision", toolCallId, hash, isApproved } as const;
    return reason === undefined ? body : { ...body, reason };
  }
  const { isError = false, output, details } = answer;
  const result: ToolResult = { isError, output, ...(details !== undefined && { details }) };
  return { type: "answer", toolCallId, result };
}

function isParts(input: TurnInput): input is readonly UserPart[] {
  return isListOf(input, (item) => "type" in item && !("role" in item));
}

function isListOf(input: SendInput, isItem: (item: object) => boolean): boolean {
  if (!Array.isArray(input) || input.length === 0) return false;
  return (input as readonly unknown[]).every((item) => isObject(item) && isItem(item));
}

function isMessageLike(input: unknown): boolean {
  return isObject(input) && "role" in input;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function withId(message: InputMessage, id: string): ChatMessage {
  if (!isObject(message)) {
    throw invalid(`A list holds messages or parts, and one of it is a ${typeof message}`);
  }
  const { role } = message;
  if (role !== "user" && role !== "custom") {
    const found = JSON.stringify(role);
    throw invalid(`A turn starts with user or custom messages only, and one has the role ${found}`);
  }
  if (message.id !== undefined && typeof message.id !== "string") {
    throw invalid("The id of a message must be a string, or left out");
  }
  if (message.role === "user") checkContent(message.content);
  else if (typeof message.kind !== "string") throw invalid("A custom message needs a kind");
  return { ...message, id: message.id ?? id };
}

/** Input of a session, and the entries it becomes. */
import type {
  ChatMessage,
  CustomMessage,
  JsonValue,
  ToolResult,
  UserMessage,
  UserPart,
} from "@capstan/kernel";
import type { Answer, IfPending, PostedBody, ToolResultMessage } from "@capstan/log";
import { chainMark, toCallAnswer } from "@capstan/log";
import type { TurnOverrides } from "../agent/agent-init.ts";
import { checkAnswer, checkContent } from "./check-input.ts";
import { invalid } from "../errors/session-error.ts";

type NewMessage<Message> = Omit<Message, "id"> & { readonly id?: string };

/** A message of the user or of the application. Without an id it gets one. */
export type InputMessage = NewMessage<UserMessage> | NewMessage<CustomMessage>;

/** Input that starts a turn. */
export type TurnInput = string | readonly UserPart[] | InputMessage | readonly InputMessage[];

/** Options of `send`: settings for one turn. Repeating an `id` is safe: the message is stored once. */
export interface SendOptions<
  App = unknown,
  ToolName extends string = string,
> extends TurnOverrides<ToolName> {
  /** Id of the turn. Sending it again returns the same turn. Answers sent again with the same id count once, without an error. */
  readonly id?: string;
  /** Aborts the turn. A send that still waits for a resumed turn is not sent. */
  readonly signal?: AbortSignal;
  /**
   * Effect of a message on calls that wait for an answer. `refuse`, the default: the send fails with `calls_pending`. `settle`: they are
   * denied or fail, with a reason for the model, and the turn continues with the message. Otherwise it has no effect.
   */
  readonly ifPending?: IfPending;
  /** Metadata of the turn, which tools and hooks see, and of messages made from a text or parts. No model sees it. */
  readonly metadata?: JsonValue;
  /** Application context of this turn and those that continue it, instead of the session's. Answers do not change it. */
  readonly app?: App;
  /** Position in a trace that the turn belongs to, as a W3C `traceparent`, if the code that sends is in no trace that the agent's logger knows. */
  readonly trace?: string;
}

const anotherMessage = "the user sent another message.";

/** Reason that pending calls are settled with; undefined if they are not. */
export function settleReasonOf(ifPending: IfPending | undefined): string | undefined {
  if (ifPending === undefined || ifPending === "refuse") return undefined;
  if (ifPending === "settle") return anotherMessage;
  // Callers in JavaScript may pass anything.
  const reason: unknown = isObject(ifPending) ? ifPending.settle : undefined;
  if (typeof reason === "string" && reason.trim() !== "") return reason;
  throw invalid('`ifPending` must be "refuse", "settle" or { settle: "a reason for the model" }');
}

/** One turn: its input, and its options. */
export interface TurnRequest<App = unknown, ToolName extends string = string> extends SendOptions<
  App,
  ToolName
> {
  readonly input: TurnInput;
}

/** Answers to pending calls, or tool messages with their results. */
export type AnswerInput = readonly (Answer | ToolResultMessage)[];

/** Input of `send`: a text, parts, messages, a whole request, or answers to pending calls. */
export type SendInput<App = unknown, ToolName extends string = string> =
  | TurnInput
  | TurnRequest<App, ToolName>
  | AnswerInput;

/**
 * Tool call ids begin with the id of their turn, so it must consist of characters that vendors accept. Replies are named after their turn
 * and a number; ids of callers must not end like that, because message ids are unique.
 */
export function checkTurnId(id: string): string {
  if (/^[\w-]{1,48}$/.test(id) && !id.includes(chainMark) && !isLikeReply(id)) return id;
  throw invalid(
    `Invalid turn or message id ${shown(id)}: use 1 to 48 letters, digits, "_" or "-", without "${chainMark}", and without "_" and a number at the end, which is reserved for replies`,
  );
}

/** Likewise for a message whose id differs from its turn's. */
export function checkMessageId(id: string): void {
  if (!isLikeReply(id)) return;
  throw invalid(
    `Invalid message id ${shown(id)}: "_" and a number at the end is reserved for replies. Choose another`,
  );
}

function isLikeReply(id: string): boolean {
  return /_\d+$/.test(id);
}

export function checkSessionId(id: string): string {
  if (/^[\w.:@+=-]{1,128}$/.test(id)) return id;
  throw invalid(`Invalid session id ${shown(id)}: use 1 to 128 letters, digits or "_ . : @ + = -"`);
}

/** Truncates the id, which may be very long. */
function shown(id: string): string {
  return JSON.stringify(id.slice(0, 160));
}

export function isAnswers(input: SendInput): input is AnswerInput {
  // Only answers name a call.
  return isListOf(input, (item) => "toolCallId" in item);
}

export function toAnswers(input: AnswerInput): readonly Answer[] {
  return input.map((answer) => ("role" in answer ? toCallAnswer(answer) : answer));
}

export function isRequest<App, ToolName extends string>(
  input: SendInput<App, ToolName>,
): input is TurnRequest<App, ToolName> {
  return typeof input === "object" && input !== null && "input" in input;
}

/** Returns the messages of a turn with this id. */
export function toMessages(
  input: TurnInput,
  id: string,
  metadata?: JsonValue,
): readonly ChatMessage[] {
  // Callers in JavaScript may send anything.
  if (typeof input !== "string" && !isMessageLike(input) && !Array.isArray(input)) {
    throw invalid(`A turn must start with a string, parts or messages, not ${typeof input}`);
  }
  if (Array.isArray(input) && input.length === 0) {
    throw invalid("Nothing to send: the list is empty. Pass at least one message");
  }
  if (typeof input === "string" || isParts(input)) {
    const message = toMessage(input, id);
    return [metadata === undefined ? message : { ...message, metadata }];
  }
  const messages: readonly InputMessage[] = "role" in input ? [input] : input;
  return messages.map((message, index) => withId(message, index === 0 ? id : `${id}-${index + 1}`));
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
    throw invalid(`A list must hold messages or parts, not ${typeof message}`);
  }
  const { role } = message;
  if (role !== "user" && role !== "custom") {
    const found = JSON.stringify(role);
    throw invalid(
      `A turn must start with user or custom messages, not with the role ${found}. To answer a pending call, send { toolCallId, output }`,
    );
  }
  if (message.id !== undefined && typeof message.id !== "string") {
    throw invalid("The id of a message must be a string, or omitted");
  }
  if (message.role === "user") checkContent(message.content);
  else if (typeof message.kind !== "string") throw invalid("A custom message needs a kind");
  return { ...message, id: message.id ?? id };
}

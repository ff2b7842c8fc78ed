/** Reads what a page asks for. Only its last message counts: everything before is known to the session, and everything else is not believed. */
import type { JsonValue, PendingCall, UserPart } from "@capstan/kernel";
import { approvalTool, parseApprovalId, questionTool } from "./approval-id.ts";
import type { Answer } from "../wire/answers.ts";
import type { RequestIssue } from "../wire/replies.ts";

/** Body of `POST /api/chat`, as transports of the AI SDK send it. */
export interface ChatRequest {
  /** The page's id of the conversation. */
  readonly id: string;
  readonly trigger?: "submit-message" | "regenerate-message";
  /** Id of the message that is replaced or continued. */
  readonly messageId?: string;
  readonly messages?: readonly unknown[];
  /** Instead of `messages`, from a page that sends its last one only. */
  readonly message?: unknown;
  /** Name of the agent for a new conversation. Default: the server's first. */
  readonly agent?: string;
}

/** An answer, with the hash of the question that it is for, if it is for one. */
export type ChatAnswer = Answer & { readonly questionHash?: string };

/** Action that a page of the AI SDK asks for: a message, a new answer, or answers to tool calls. */
export type ChatAction =
  | { readonly type: "send"; readonly messageId: string; readonly content: readonly UserPart[] }
  | { readonly type: "regenerate"; readonly messageId: string }
  /** `messageId` is the assistant message that the answers are in. */
  | {
      readonly type: "answer";
      readonly messageId: string;
      readonly answers: readonly ChatAnswer[];
    };

type Fields = Readonly<Record<string, unknown>>;

/** A field of the request is not what a page sends. */
export class ChatRequestFault extends Error {
  override readonly name = "ChatRequestFault";
  readonly issue: RequestIssue;

  constructor(issue: RequestIssue) {
    super(`Invalid chat request: ${issue.path} ${issue.message}`);
    this.issue = issue;
  }
}

/** Throws a `ChatRequestFault`. */
export function readChatRequest(request: ChatRequest, allowsMediaUrls: boolean): ChatAction {
  const message = lastMessageOf(request);
  const { id, role, parts } = message;
  if (typeof id !== "string" || id === "") throw wrong("id", "must be a text");
  if (role === "user") {
    if (request.trigger === "regenerate-message") return { type: "regenerate", messageId: id };
    return { type: "send", messageId: id, content: contentOf(partsOf(parts), allowsMediaUrls) };
  }
  if (role !== "assistant") throw wrong("role", 'must be "user", or "assistant" with answers');
  if (request.trigger === "regenerate-message") {
    throw wrong("role", "must be the user's: the reply that is regenerated is not sent");
  }
  return { type: "answer", messageId: id, answers: partsOf(parts).flatMap(answersIn) };
}

function lastMessageOf({ messages, message = messages?.at(-1) }: ChatRequest): Fields {
  if (isObject(message)) return message;
  throw new ChatRequestFault({
    path: "messages",
    message: "the last message is missing, or no object",
  });
}

function partsOf(parts: unknown): readonly Fields[] {
  if (Array.isArray(parts) && parts.every(isObject)) return parts;
  throw wrong("parts", "must be a list of parts");
}

function contentOf(parts: readonly Fields[], allowsMediaUrls: boolean): readonly UserPart[] {
  const content = parts.flatMap((part) => userPart(part, allowsMediaUrls));
  if (content.length > 0) return content;
  throw wrong("parts", "must have a text or a file");
}

/** Parts of other types are the page's own. */
function userPart(part: Fields, allowsMediaUrls: boolean): readonly UserPart[] {
  if (part["type"] === "text") {
    if (typeof part["text"] !== "string") throw wrong("parts.text", "must be a text");
    return part["text"] === "" ? [] : [{ type: "text", text: part["text"] }];
  }
  return part["type"] === "file" ? [filePart(part, allowsMediaUrls)] : [];
}

const dataUrl = /^data:([^;,]*)[^,]*;base64,(.*)$/s;

function filePart({ mediaType, url, filename }: Fields, allowsMediaUrls: boolean): UserPart {
  if (typeof url !== "string") throw wrong("parts.url", "must be a text");
  const [isData, typeInUrl = "", data = ""] = dataUrl.exec(url) ?? [];
  const known = typeof mediaType === "string" && mediaType !== "" ? mediaType : typeInUrl;
  if (known === "") throw wrong("parts.mediaType", "must be a text");
  if (isData === undefined && !/^https?:/i.test(url)) {
    throw wrong("parts.url", "must be a data URL in base64, or one of http or https");
  }
  if (isData === undefined && !allowsMediaUrls) {
    throw wrong("parts.url", "files by URL are not allowed: send a data URL");
  }
  const source = isData === undefined ? { url } : { data };
  if (known.startsWith("image/")) return { type: "image", mediaType: known, ...source };
  const name = typeof filename === "string" && filename !== "" ? { name: filename } : {};
  return { type: "document", mediaType: known, ...source, ...name };
}

/** Answers in a part of an assistant message: to a question, or by a tool of the page. */
function answersIn(part: Fields): readonly ChatAnswer[] {
  const { type, toolCallId, state, output, errorText, approval } = part;
  const isTool = typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
  if (!isTool || typeof toolCallId !== "string") return [];
  if (type === `tool-${approvalTool}` && state === "output-available") {
    return decisionIn(toolCallId, output);
  }
  if (state === "approval-responded" && isObject(approval)) {
    return typeof approval["id"] === "string" ? decisionIn(approval["id"], approval) : [];
  }
  if (part["providerExecuted"] === true || part["preliminary"] === true) return [];
  const question = type === `tool-${questionTool}` ? parseApprovalId(toolCallId) : undefined;
  const call = question?.toolCallId ?? toolCallId;
  const about = question && { questionHash: question.hash };
  if (state === "output-available") return [{ ...resultOf(call, output), ...about }];
  if (state !== "output-error") return [];
  const why = typeof errorText === "string" ? errorText : "The tool failed";
  return [{ toolCallId: call, output: why, isError: true, ...about }];
}

function decisionIn(approvalId: string, decision: unknown): readonly Answer[] {
  const call = parseApprovalId(approvalId);
  if (call === undefined || !isObject(decision)) return [];
  const { approved, reason } = decision;
  if (typeof approved !== "boolean") return [];
  const isTold = typeof reason === "string" && reason !== "";
  return [{ ...call, approved, ...(isTold && { reason: reason.slice(0, 1_000) }) }];
}

/** The model reads a text; what the page had stays beside it. */
function resultOf(toolCallId: string, output: unknown): Answer {
  if (typeof output === "string") return { toolCallId, output };
  // The body was parsed from JSON.
  const details = (output ?? null) as JsonValue;
  return { toolCallId, output: JSON.stringify(details), details };
}

function wrong(path: string, message: string): ChatRequestFault {
  return new ChatRequestFault({ path: `messages.last.${path}`, message });
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Answers that something waits for. A page sends all answers of its last message, also those that were taken before. */
export function wantedAnswers(
  answers: readonly ChatAnswer[],
  pending: readonly PendingCall[],
): readonly Answer[] {
  return answers.flatMap(({ questionHash, ...answer }) => {
    const call = pending.find(({ toolCallId }) => toolCallId === answer.toolCallId);
    if (call === undefined) return [];
    return questionHash === undefined || questionHash === call.hash ? [answer] : [];
  });
}

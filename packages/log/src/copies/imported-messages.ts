/** Imports messages of a log from outside, without anything that could act: the only part of it that an import keeps. */
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  JsonValue,
  KeptOutput,
  OpenCall,
  ToolContent,
  ToolContentPart,
  ToolMessage,
} from "@capstan/kernel";
import { isTooDeep } from "@capstan/kernel";
import type { Draft } from "../entries/draft.ts";

/** Result of a call that had none when its session was imported. */
const notRunHere = "Imported, not run: this call had no result in the imported session.";

/** Ids that are kept. Other ids are replaced, because a vendor may refuse them. */
const plainId = /^[\w-]{1,64}$/;

type Fields = { readonly [field: string]: unknown };

export interface ImportedMessages {
  readonly messages: readonly ChatMessage[];
  /** Number of calls that were closed because they had no result. */
  readonly closedCalls: number;
}

/**
 * Rebuilds messages field by field, so that the result is a valid history for any input: every call is followed by exactly one result, ids
 * are unique, and nothing remains that addresses a vendor or an application directly (system messages, native parts, provider data, custom
 * messages, metadata). `results` are the recorded results of a last step whose other calls are open. `hasBlob` states which blobs are
 * included.
 */
export function importMessages(
  messages: readonly unknown[],
  results: readonly OpenCall[],
  hasBlob: (blob: string) => boolean,
): ImportedMessages {
  const history = new ImportedHistory(hasBlob);
  for (const message of messages) history.add(message);
  for (const open of results) history.addRecorded(open);
  return history.end();
}

interface ImportedCall {
  readonly id: string;
  readonly name: string;
  result: ToolMessage | undefined;
}

class ImportedHistory {
  readonly #hasBlob: (blob: string) => boolean;
  readonly #messages: ChatMessage[] = [];
  readonly #ids = new Set<string>();
  /** Calls of the last reply, in call order, by their ids in the log. */
  readonly #calls = new Map<string, ImportedCall>();
  #closedCalls = 0;

  constructor(hasBlob: (blob: string) => boolean) {
    this.#hasBlob = hasBlob;
  }

  add(message: unknown): void {
    if (!isObject(message)) return;
    if (message["role"] === "tool") return this.#addResult(message);
    if (message["role"] === "user") return this.#addUser(message);
    if (message["role"] === "assistant") this.#addReply(message);
  }

  /** Adds a result that its step had not turned into a message yet. */
  addRecorded(open: OpenCall): void {
    if (open.state !== "settled" || open.isRecorded !== true) return;
    const { output: content, ...result } = open.result;
    this.#addResult({ ...result, content, toolCallId: open.toolCallId });
  }

  end(): ImportedMessages {
    this.#closeCalls();
    return { messages: inOrder(this.#messages), closedCalls: this.#closedCalls };
  }

  #addUser({ id, content }: Fields): void {
    const said = toContent(content);
    if (said === undefined) return;
    this.#closeCalls();
    this.#messages.push({ role: "user", id: this.#freeId(id), content: said });
  }

  #addReply({ id, content, stopReason }: Fields): void {
    this.#closeCalls();
    const isFailed = stopReason === "error";
    const parts = (isList(content) ? content : []).flatMap((part) => toPart(part));
    // The calls of a failed reply never ran, and have no results.
    const said = isFailed ? parts.filter(({ type }) => type !== "tool_call") : parts;
    if (said.length === 0) return;
    const reply: AssistantMessage = {
      role: "assistant",
      id: this.#freeId(id),
      content: said.map((part) => (part.type === "tool_call" ? this.#openCall(part) : part)),
      stopReason: typeof stopReason === "string" ? stopReason : "stop",
    };
    this.#messages.push(reply);
  }

  #openCall(part: Extract<AssistantPart, { readonly type: "tool_call" }>): typeof part {
    const call = { ...part, id: this.#freeId(part.id) };
    // The second of two calls with the same id gets no result in the log: it is closed.
    const key = this.#calls.has(part.id) ? call.id : part.id;
    this.#calls.set(key, { id: call.id, name: call.name, result: undefined });
    return call;
  }

  #addResult({ toolCallId, content, isError, isDenied, details, kept }: Fields): void {
    if (typeof toolCallId !== "string") return;
    const call = this.#calls.get(toolCallId);
    const output = toContent(content) ?? (isError === false ? "" : undefined);
    if (call === undefined || call.result !== undefined || output === undefined) return;
    const message = resultOf(call, output, isError !== false);
    if (isDenied === true) message.isDenied = true;
    const shown = toJson(details);
    if (shown !== undefined) message.details = shown;
    const whole = toKept(kept);
    if (whole !== undefined && this.#hasBlob(whole.blob)) message.kept = whole;
    call.result = message;
  }

  #closeCalls(): void {
    for (const call of this.#calls.values()) {
      if (call.result === undefined) this.#closedCalls += 1;
      this.#messages.push(call.result ?? resultOf(call, notRunHere, true));
    }
    this.#calls.clear();
  }

  /** Returns the id unchanged, if it is valid and free. */
  #freeId(wanted: unknown): string {
    if (typeof wanted === "string" && plainId.test(wanted) && !this.#ids.has(wanted)) {
      this.#ids.add(wanted);
      return wanted;
    }
    let count = this.#ids.size + 1;
    while (this.#ids.has(`imported-${count}`)) count += 1;
    this.#ids.add(`imported-${count}`);
    return `imported-${count}`;
  }
}

/** Makes adjacent replies valid: a reply followed by another one has paused, and only a reply followed by a user message was aborted. */
function inOrder(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const shown = messages.filter(({ role }, index) => role !== "tool" && !isFailed(messages[index]));
  const next = new Map(shown.map((message, index) => [message, shown[index + 1]]));
  return messages.map((message) => {
    if (message.role !== "assistant" || isFailed(message)) return message;
    const follower = next.get(message);
    const hasResults = message.content.some(({ type }) => type === "tool_call");
    if (follower?.role === "assistant" && !hasResults) return { ...message, stopReason: "pause" };
    const isAborted = message.stopReason === "aborted" && follower?.role !== "user";
    return isAborted ? { ...message, stopReason: "stop" } : message;
  });
}

function isFailed(message: ChatMessage | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "error";
}

function resultOf(
  { id, name }: ImportedCall,
  content: ToolContent,
  isError: boolean,
): Draft<ToolMessage> {
  return { role: "tool", id, toolCallId: id, toolName: name, content, isError };
}

/** Content of a user message or a tool result; undefined if it is empty. */
function toContent(content: unknown): string | readonly ToolContentPart[] | undefined {
  if (typeof content === "string") return content === "" ? undefined : content;
  if (!isList(content)) return undefined;
  const parts = content.flatMap((part) => toContentPart(part));
  return parts.length === 0 ? undefined : parts;
}

function toContentPart(part: unknown): ToolContentPart | readonly [] {
  if (!isObject(part)) return [];
  const { type, text, mediaType, data, url, name } = part;
  if (type === "text") return isText(text) ? { type, text } : [];
  // A vendor would fetch the URL: an imported file must not decide that.
  if (isText(url) && data === undefined) {
    return { type: "text", text: `[${String(type)} of type ${String(mediaType)} at ${url}]` };
  }
  if (typeof mediaType !== "string" || !isText(data)) return [];
  if (type === "image") return { type, mediaType, data };
  if (type !== "document") return [];
  return { type, mediaType, data, ...(typeof name === "string" && { name }) };
}

/** Part of a reply as plain text or as a call: vendor-native parts cannot be checked. */
function toPart(part: unknown): AssistantPart | readonly [] {
  if (!isObject(part)) return [];
  const { type, text, thinking, id, name, input, malformedInput, isProviderExecuted } = part;
  switch (type) {
    case "text":
    case "refusal":
      return isText(text) ? { type, text } : [];
    case "thinking":
      return isText(thinking) ? { type, thinking } : [];
    case "tool_call": {
      if (typeof id !== "string" || typeof name !== "string" || name === "") return [];
      // Its result is native to the vendor that ran it, and is not imported.
      if (isProviderExecuted === true) return [];
      const call = { type, id, name, input: toJson(input) ?? {} } as const;
      return typeof malformedInput === "string" ? { ...call, malformedInput } : call;
    }
    default:
      return [];
  }
}

/** Undefined if the value is nested too deeply to be stored. It was parsed as JSON, so it is nothing else. */
function toJson(value: unknown): JsonValue | undefined {
  const json = value as JsonValue | undefined;
  return json === undefined || isTooDeep(json) ? undefined : json;
}

function toKept(kept: unknown): KeptOutput | undefined {
  if (!isObject(kept)) return undefined;
  const { blob, mediaType, chars } = kept;
  if (typeof blob !== "string" || typeof chars !== "number") return undefined;
  if (mediaType !== "text/plain" && mediaType !== "application/json") return undefined;
  return { blob, mediaType, chars };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// `Array.isArray` would narrow to a list of `any`.
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

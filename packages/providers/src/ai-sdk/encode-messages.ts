/** Encodes the transcript as AI SDK messages, with every call answered right after its reply. */
import type {
  AssistantMessage,
  ChatMessage,
  Origin,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";
import type { Readable } from "../projection/readable-origins.ts";
import { isBlankText } from "../projection/shown-media.ts";
import type { EncodeMedia } from "./encode-media.ts";
import { toNativePart } from "./encode-native.ts";
import type { ReplyContext } from "./encode-reply.ts";
import { toReplyParts } from "./encode-reply.ts";
import { missingOutput, toOutput } from "./encode-result.ts";
import type { AiSdkMessage, AiSdkToolOutput, AiSdkToolResultPart } from "./prompt.ts";

/** How messages are written for one kind of reader. */
export interface Audience {
  /** Returns what the reader may see of a reply from this origin. */
  readableOf(origin: Origin | undefined): Readable;
  readonly media: EncodeMedia;
  toolCallId(call: ToolCallPart): string;
  toolName(name: string): string;
}

const plainWords: Readable = { native: false, thinking: false };

export class MessageWriter {
  readonly messages: AiSdkMessage[] = [];
  readonly #audience: Audience;
  readonly #answered: ReadonlySet<string>;
  readonly #sent = new Set<string>();
  /** Calls of the last reply that have no result yet, by our ids. */
  readonly #owed = new Map<string, Pick<AiSdkToolResultPart, "toolCallId" | "toolName">>();

  constructor(transcript: readonly ChatMessage[], audience: Audience) {
    this.#audience = audience;
    this.#answered = new Set(transcript.flatMap(answeredIn));
  }

  add(message: ChatMessage): void {
    if (message.role === "custom") return;
    if (message.role === "tool") return this.#addResult(message);
    this.settle();
    switch (message.role) {
      case "system":
        if (!isBlankText(message.content)) {
          this.messages.push({ role: "system", content: message.content });
        }
        return;
      case "user":
        return this.#addUser(message);
      case "assistant":
        return this.#addReply(message);
      default:
        return message satisfies never;
    }
  }

  /** Answers every open call with a placeholder result. */
  settle(): void {
    for (const callId of this.#owed.keys()) this.#answer(callId, missingOutput);
  }

  #addUser({ content }: UserMessage): void {
    const parts =
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const shown = parts.flatMap((part) => this.#audience.media(part) ?? []);
    if (shown.length > 0) this.messages.push({ role: "user", content: shown });
  }

  #addReply(message: AssistantMessage): void {
    // Failed replies are not sent. The kernel leaves them out, other callers may not.
    if (message.stopReason === "error") return;
    const { readableOf, toolCallId, toolName } = this.#audience;
    // The vendor may not have stored an interrupted reply, so nothing may refer to it.
    const isWhole = message.stopReason !== "aborted";
    const context: ReplyContext = {
      readable: isWhole ? readableOf(message.origin) : plainWords,
      toolCallId,
      toolName,
      answered: this.#answered,
      sent: this.#sent,
    };
    const content = toReplyParts(message, context);
    if (content.length === 0) return;
    this.messages.push({ role: "assistant", content });
    for (const part of message.content) {
      if (part.type !== "tool_call" || part.isProviderExecuted === true) continue;
      this.#owed.set(part.id, { toolCallId: toolCallId(part), toolName: toolName(part.name) });
    }
  }

  /** Ignores a result whose call is missing. */
  #addResult(message: ToolMessage): void {
    this.#answer(message.toolCallId, toOutput(message, this.#audience.media));
  }

  #answer(callId: string, output: AiSdkToolOutput): void {
    const call = this.#owed.get(callId);
    if (call === undefined) return;
    this.#owed.delete(callId);
    const result: AiSdkToolResultPart = { type: "tool-result", ...call, output };
    const last = this.messages.at(-1);
    if (last?.role === "tool") last.content.push(result);
    else this.messages.push({ role: "tool", content: [result] });
  }
}

/** Ids of provider-run calls whose results are in the message. */
function answeredIn(message: ChatMessage): readonly string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => {
    const result = part.type === "native" ? toNativePart(part.data) : undefined;
    return result?.type === "tool-result" ? [result.toolCallId] : [];
  });
}

/** Encodes the transcript as messages: calls are answered right after their reply, as text; media from tools follow as a user message. */
import type { ChatMessage, ModelFacts, PartReference, ToolMessage } from "@capstan/kernel";
import { CallIds, vendorIdFor } from "../../projection/call-ids.ts";
import type { Target } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import type { ShownContents } from "../../projection/shown-contents.ts";
import { partFinder, showContents } from "../../projection/shown-contents.ts";
import { toContent } from "./encode-media.ts";
import { toReplyMessage } from "./encode-reply.ts";
import type { UserContent, WireMessage } from "./request.ts";

const callIdShape = { character: /[a-zA-Z0-9_-]/, maxLength: 40 };

export interface EncodedMessages {
  readonly messages: readonly WireMessage[];
  partAt(path: string): PartReference | undefined;
}

type Contents = ShownContents<UserContent>;

export function encodeMessages(
  transcript: readonly ChatMessage[],
  target: Target,
  options: { readonly systemPrompt: string | undefined; readonly facts: ModelFacts | undefined },
): EncodedMessages {
  const writer = new MessageWriter(transcript, target, options.facts);
  if (options.systemPrompt !== undefined) writer.instruct(options.systemPrompt);
  for (const message of transcript) writer.add(message);
  return writer.finish();
}

class MessageWriter {
  readonly #target: Target;
  readonly #facts: ModelFacts | undefined;
  readonly #callIds: CallIds;
  readonly #messages: WireMessage[] = [];
  readonly #sources = new Map<WireMessage, readonly PartReference[]>();
  readonly #owed = new Set<string>();
  /** Media in the results of this step. */
  #media: Contents = { content: [], sources: [] };

  constructor(transcript: readonly ChatMessage[], target: Target, facts: ModelFacts | undefined) {
    this.#target = target;
    this.#facts = facts;
    const shape = target.quirks.chat?.callIds ?? callIdShape;
    this.#callIds = new CallIds(transcript, shape, vendorIdFor(target.origin));
  }

  instruct(content: string): void {
    if (content.trim() === "") return;
    const isLate = this.#messages.some(({ role }) => role !== "system");
    if (isLate && this.#target.quirks.chat?.refusesLateSystem === true) {
      this.#addUser({
        content: [{ type: "text", text: `<system>${content}</system>` }],
        sources: [],
      });
    } else this.#messages.push({ role: "system", content });
  }

  add(message: ChatMessage): void {
    if (message.role === "custom") return;
    if (message.role === "tool") return this.#addResult(message);
    this.#settle();
    switch (message.role) {
      case "system":
        return this.instruct(message.content);
      case "user":
        return this.#addUser(this.#contents(message));
      case "assistant": {
        // Failed replies are not sent. The kernel leaves them out, other callers may not.
        if (message.stopReason === "error") return;
        const reply = toReplyMessage(message, {
          readable: readableOf(message.origin, this.#target.origin),
          callIds: this.#callIds,
          quirks: this.#target.quirks.chat ?? {},
        });
        if (reply === undefined) return;
        this.#messages.push(reply);
        for (const part of message.content) {
          if (part.type === "tool_call" && part.isProviderExecuted !== true)
            this.#owed.add(part.id);
        }
        return;
      }
      default:
        return message satisfies never;
    }
  }

  finish(): EncodedMessages {
    this.#settle();
    // Servers continue a trailing assistant message or reject it: ask for a continuation instead.
    if (this.#messages.at(-1)?.role === "assistant") {
      this.#messages.push({ role: "user", content: "Continue." });
    }
    const messages = this.#messages;
    return { messages, partAt: partFinder(messages, this.#sources, bodyPath) };
  }

  #addUser({ content, sources }: Contents): void {
    const [only] = content;
    if (only === undefined) return;
    const isText = content.length === 1 && only.type === "text";
    const isAfterTool = this.#messages.at(-1)?.role === "tool";
    if (isAfterTool && this.#target.quirks.chat?.refusesUserAfterTool === true) {
      this.#messages.push({ role: "assistant", content: "OK" });
    }
    const message: WireMessage = { role: "user", content: isText ? only.text : content };
    this.#messages.push(message);
    this.#sources.set(message, sources);
  }

  #addResult(message: ToolMessage): void {
    // Ignore a result whose call is missing.
    if (!this.#owed.delete(message.toolCallId)) return;
    const { content, sources } = this.#contents(message);
    const texts = content.filter((part) => part.type === "text").map((part) => part.text);
    content.forEach((part, index) => {
      const source = sources[index];
      if (part.type === "text" || source === undefined) return;
      this.#media.content.push(part);
      this.#media.sources.push(source);
    });
    const hasMedia = texts.length < content.length;
    const said = typeof message.content === "string" ? message.content : texts.join("\n\n");
    this.#answer(message.toolCallId, hasMedia && said === "" ? "(see the next message)" : said);
  }

  #answer(callId: string, content: string): void {
    const tool_call_id = this.#callIds.wireId(callId);
    this.#messages.push({ role: "tool", tool_call_id, content });
  }

  #contents(message: Extract<ChatMessage, { role: "user" | "tool" }>): Contents {
    const { chat } = this.#target.quirks;
    const choices = {
      facts: this.#facts,
      takesFiles: chat?.takesFiles === true,
      fetchesUrls: chat?.refusesUrls !== true,
    };
    return showContents(message, (part) => toContent(part, choices));
  }

  /** Gives every open call a result, and adds media only after all results of a reply. */
  #settle(): void {
    for (const callId of this.#owed) this.#answer(callId, "No result is available for this call.");
    this.#owed.clear();
    this.#addUser(this.#media);
    this.#media = { content: [], sources: [] };
  }
}

/** `messages[3].content[1].image_url`, `messages.3.content.1`. */
const bodyPath = /^messages\W+(\d+)\W+content\W+(\d+)(?=\W|$)/;

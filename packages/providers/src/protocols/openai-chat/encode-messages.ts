/** The transcript as messages: every call answered right behind its reply, by text; pictures of tools follow as the user's. */
import type { ChatMessage, ModelFacts, PartReference, ToolMessage } from "@capstan/kernel";
import { CallIds } from "../../call-ids.ts";
import type { Target } from "../../protocol.ts";
import { readableOf } from "../../readable-origins.ts";
import { isObject } from "../../wire-json.ts";
import { toContent } from "./encode-media.ts";
import { toReplyMessage } from "./encode-reply.ts";
import type { UserContent, WireMessage } from "./request.ts";

const callIdShape = { character: /[a-zA-Z0-9_-]/, maxLength: 40 };

export interface EncodedMessages {
  readonly messages: readonly WireMessage[];
  partAt(path: string): PartReference | undefined;
}

/** Contents, and the parts that they came from. */
interface Contents {
  readonly content: UserContent[];
  readonly sources: PartReference[];
}

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
  /** Of the results of this step. */
  #media: Contents = { content: [], sources: [] };

  constructor(transcript: readonly ChatMessage[], target: Target, facts: ModelFacts | undefined) {
    this.#target = target;
    this.#facts = facts;
    const shape = target.quirks.chat?.callIds ?? callIdShape;
    this.#callIds = new CallIds(transcript, shape, (call, { origin }) => {
      if (!readableOf(origin, target.origin).native) return undefined;
      const id = isObject(call.providerData) ? call.providerData["id"] : undefined;
      return typeof id === "string" ? id : undefined;
    });
  }

  instruct(content: string): void {
    if (content.trim() !== "") this.#messages.push({ role: "system", content });
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
        // Replies that failed are nothing to show; the kernel leaves them out, other callers may not.
        if (message.stopReason === "error") return;
        const reply = toReplyMessage(message, {
          readable: readableOf(message.origin, this.#target.origin),
          callIds: this.#callIds,
          reasoningField: this.#target.quirks.chat?.reasoningField,
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
    const messages = this.#messages;
    const sources = this.#sources;
    return {
      messages,
      partAt(path) {
        const [, message, content] = bodyPath.exec(path) ?? [];
        const found = messages[Number(message)];
        return found && sources.get(found)?.[Number(content)];
      },
    };
  }

  #addUser({ content, sources }: Contents): void {
    const [only] = content;
    if (only === undefined) return;
    const isText = content.length === 1 && only.type === "text";
    const message: WireMessage = { role: "user", content: isText ? only.text : content };
    this.#messages.push(message);
    this.#sources.set(message, sources);
  }

  #addResult(message: ToolMessage): void {
    // A result whose call is not there says nothing to anybody.
    if (!this.#owed.delete(message.toolCallId)) return;
    const { content, sources } = this.#contents(message);
    const texts = content.filter((part) => part.type === "text").map((part) => part.text);
    content.forEach((part, place) => {
      const source = sources[place];
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

  #contents({ id, content }: Extract<ChatMessage, { role: "user" | "tool" }>): Contents {
    const takesFiles = this.#target.quirks.chat?.takesFiles === true;
    const parts =
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const contents: Contents = { content: [], sources: [] };
    parts.forEach((part, place) => {
      const shown = toContent(part, { facts: this.#facts, takesFiles });
      if (shown === undefined) return;
      contents.content.push(shown);
      contents.sources.push({ messageId: id, part: place });
    });
    return contents;
  }

  /** No call stays without a result, and nothing stands between a reply and its results. */
  #settle(): void {
    for (const callId of this.#owed) this.#answer(callId, "There is no result of this call.");
    this.#owed.clear();
    this.#addUser(this.#media);
    this.#media = { content: [], sources: [] };
  }
}

/** `messages[3].content[1].image_url`, `messages.3.content.1`. */
const bodyPath = /^messages\W+(\d+)\W+content\W+(\d+)(?=\W|$)/;

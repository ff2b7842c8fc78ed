/** Encodes the transcript as contents: user and model alternate, the user's first, and results follow their calls, in the same order. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  ModelFacts,
  PartReference,
  TextPart as Text,
  ToolMessage,
} from "@capstan/kernel";
import type { Target } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import { showContents } from "../../projection/shown-contents.ts";
import type { Embedded, Linked } from "../../projection/shown-media.ts";
import {
  isBlankText,
  leftOut,
  shownType,
  shownUrl,
  takes,
  textOfDocument,
} from "../../projection/shown-media.ts";
import { callIdOf, toReplyParts, toWireName } from "./encode-reply.ts";
import type { Content, MediaPart, ModelPart, ResultPart, TextPart, UserPart } from "./request.ts";

export interface ContentOptions {
  readonly facts: ModelFacts | undefined;
  readonly needsSignatures: boolean;
}

export interface EncodedContents {
  /** System messages before the first other message. */
  readonly system: readonly TextPart[];
  readonly contents: readonly Content[];
  partAt(path: string): PartReference | undefined;
}

interface Placed {
  readonly part: UserPart;
  readonly source?: PartReference;
}

interface OwedResult {
  readonly name: string;
  readonly id: string | undefined;
  result: ResultPart | undefined;
}

type Turn =
  | { readonly role: "model"; readonly parts: ModelPart[] }
  | { readonly role: "user"; readonly owed: Map<string, OwedResult>; readonly said: Placed[] };

export function encodeContents(
  transcript: readonly ChatMessage[],
  target: Target,
  options: ContentOptions,
): EncodedContents {
  const writer = new ContentWriter(target, options);
  for (const message of transcript) writer.add(message);
  return writer.finish();
}

class ContentWriter {
  readonly #target: Target;
  readonly #options: ContentOptions;
  readonly #system: TextPart[] = [];
  readonly #turns: Turn[] = [];
  /** Calls of the last reply, for the next turn. */
  #calls = new Map<string, OwedResult>();

  constructor(target: Target, options: ContentOptions) {
    this.#target = target;
    this.#options = options;
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        return this.#instruct(message.content);
      case "user":
        this.#userTurn().said.push(...this.#contents(message));
        return;
      case "assistant":
        return this.#addReply(message);
      case "tool":
        return this.#addResult(message);
      case "custom":
        return;
      default:
        return message satisfies never;
    }
  }

  finish(): EncodedContents {
    const last = this.#turns.at(-1);
    if (last?.role === "model") {
      const turn = this.#userTurn();
      if (turn.owed.size === 0) turn.said.push({ part: { text: "Continue." } });
    }
    const turns = joined(this.#turns);
    if (turns[0]?.role === "model") {
      const opening = { text: "[The beginning of the conversation has been omitted.]" };
      turns.unshift({ role: "user", owed: new Map(), said: [{ part: opening }] });
    }
    const laid = turns.map(lay);
    return {
      system: this.#system,
      contents: laid.map(({ content }) => content),
      partAt(path) {
        const [, content, part] = bodyPath.exec(path) ?? [];
        return laid[Number(content)]?.sources[Number(part)];
      },
    };
  }

  #instruct(text: string): void {
    if (isBlankText(text)) return;
    if (this.#turns.length === 0) this.#system.push({ text });
    else this.#userTurn().said.push({ part: { text: `<system>${text}</system>` } });
  }

  #addReply(message: Extract<ChatMessage, { role: "assistant" }>): void {
    // Failed replies are not sent. The kernel leaves them out, other callers may not.
    if (message.stopReason === "error") return;
    const readable = readableOf(message.origin, this.#target.origin);
    const { needsSignatures } = this.#options;
    const parts = toReplyParts(message, { readable, needsSignatures });
    if (parts.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role === "model" && this.#calls.size === 0) last.parts.push(...parts);
    else {
      if (last?.role === "model") this.#userTurn();
      this.#turns.push({ role: "model", parts });
    }
    for (const part of message.content) {
      if (part.type !== "tool_call" || part.isProviderExecuted === true) continue;
      const id = callIdOf(part, readable.native);
      this.#calls.set(part.id, { name: toWireName(part.name), id, result: undefined });
    }
  }

  #addResult(message: ToolMessage): void {
    const turn = this.#userTurn();
    const owed = turn.owed.get(message.toolCallId);
    // Ignore a result whose call is missing.
    if (owed === undefined || owed.result !== undefined) return;
    const shown = this.#contents(message);
    const texts = shown.flatMap(({ part }) => ("text" in part ? [part.text] : []));
    const said = typeof message.content === "string" ? message.content : texts.join("\n\n");
    owed.result = toResult(owed, message.isError ? { error: said } : { output: said });
    turn.said.push(...shown.filter(({ part }) => !("text" in part)));
  }

  #userTurn(): Extract<Turn, { role: "user" }> {
    const last = this.#turns.at(-1);
    if (last?.role === "user") return last;
    const turn: Extract<Turn, { role: "user" }> = { role: "user", owed: this.#calls, said: [] };
    this.#calls = new Map();
    this.#turns.push(turn);
    return turn;
  }

  #contents(message: Extract<ChatMessage, { role: "user" | "tool" }>): Placed[] {
    const { content, sources } = showContents(message, (part) =>
      toUserPart(part, this.#options.facts),
    );
    return content.map((part, index) => ({ part, ...sourceAt(sources, index) }));
  }
}

function sourceAt(sources: readonly PartReference[], index: number): Pick<Placed, "source"> {
  const source = sources[index];
  return source === undefined ? {} : { source };
}

/** Drops empty user turns and joins the model turns around them. */
function joined(turns: readonly Turn[]): Turn[] {
  const kept: Turn[] = [];
  for (const turn of turns) {
    const last = kept.at(-1);
    if (turn.role === "user" && turn.owed.size + turn.said.length === 0) continue;
    if (turn.role === "model" && last?.role === "model") last.parts.push(...turn.parts);
    else kept.push(turn);
  }
  return kept;
}

/** Results first, in the order of their calls, then the user's content. */
function lay(turn: Turn): {
  readonly content: Content;
  readonly sources: readonly (PartReference | undefined)[];
} {
  if (turn.role === "model") return { content: { role: "model", parts: turn.parts }, sources: [] };
  const results = Array.from(
    turn.owed.values(),
    (owed) => owed.result ?? toResult(owed, { error: "No result is available for this call." }),
  );
  const placed: Placed[] = [...results.map((part) => ({ part })), ...turn.said];
  return {
    content: { role: "user", parts: placed.map(({ part }) => part) },
    sources: placed.map(({ source }) => source),
  };
}

function toResult(
  { name, id }: OwedResult,
  response: ResultPart["functionResponse"]["response"],
): ResultPart {
  return { functionResponse: { ...(id !== undefined && { id }), name, response } };
}

/** Returns undefined for blank text. */
function toUserPart(
  part: Text | ImagePart | DocumentPart,
  facts: ModelFacts | undefined,
): TextPart | MediaPart | undefined {
  if (part.type === "text") return isBlankText(part.text) ? undefined : { text: part.text };
  if ("url" in part) return toLink(part, facts) ?? { text: leftOut(part) };
  if (part.type === "document") {
    const written = textOfDocument(part);
    const { name } = part;
    if (written !== undefined) {
      return { text: name === undefined ? written : `${name}:\n\n${written}` };
    }
  }
  const mimeType = part.type === "image" ? shownType(part, facts) : pdfType(part, facts);
  const { data } = part;
  return mimeType === undefined ? { text: leftOut(part) } : { inlineData: { mimeType, data } };
}

/** The vendor requires the type before it fetches, and fetches https URLs only. */
function toLink(
  part: Linked<ImagePart | DocumentPart>,
  facts: ModelFacts | undefined,
): MediaPart | undefined {
  const fileUri = shownUrl(part, facts);
  const isFetched = fileUri?.startsWith("https:") === true && !part.mediaType.includes("*");
  return isFetched ? { fileData: { mimeType: part.mediaType, fileUri } } : undefined;
}

function pdfType(
  { mediaType, data }: Embedded<DocumentPart>,
  facts: ModelFacts | undefined,
): string | undefined {
  const isPdf = mediaType === "application/pdf" && data !== "";
  return isPdf && takes(facts, "document") ? mediaType : undefined;
}

/** `contents[3].parts[1].inline_data`, `contents.3.parts.1`. */
const bodyPath = /^contents\W+(\d+)\W+parts\W+(\d+)(?=\W|$)/;

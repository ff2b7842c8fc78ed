/** One item of a reply while it comes in: a message, a reasoning, a call, or something that only the vendor understands. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";

import { protocolError } from "./protocol-error.ts";
import { serverCallOf } from "./server-calls.ts";

/** What a delta is a piece of: the kind of its event, and which of the texts of the item it belongs to. */
export interface ItemDelta {
  readonly kind: "text" | "refusal" | "summary" | "reasoning" | "arguments";
  readonly place: number;
  readonly delta: string;
}

/** Knows what of the item was shown already: the end of an item says all of it once more, and some servers say it only there. */
export interface OpenItem {
  delta(delta: ItemDelta, parts: ProviderPart[]): void;
  /** The item as the vendor has it in the end. */
  end(item: JsonObject, parts: ProviderPart[]): void;
}

/** `index` is for calls: they are told apart by it. */
export function openItem(item: JsonObject, index: number, parts: ProviderPart[]): OpenItem {
  switch (item["type"]) {
    case "message":
      return new MessageItem(item);
    case "reasoning":
      return new ReasoningText();
    case "function_call":
    case "custom_tool_call":
      return new CallItem(item, index, parts);
    default:
      return new NativeItem(index);
  }
}

/** A message has texts and refusals, one after the other; each becomes a part that knows which message it is of. */
class MessageItem implements OpenItem {
  readonly #start: JsonObject;
  /** Of the text that is open. */
  #place: number | undefined;
  #shown = 0;
  #kind: "text" | "refusal" = "text";

  constructor(item: JsonObject) {
    this.#start = item;
  }

  delta({ kind, place, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "text" && kind !== "refusal") return;
    this.#open(kind, place, this.#start, parts);
    this.#shown += delta.length;
    parts.push(kind === "text" ? { type: "text_delta", delta } : { type: "refusal_delta", delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const content = listOf(item["content"]);
    content.forEach((part, place) => {
      if (!isObject(part) || (this.#place !== undefined && place < this.#place)) return;
      const isRefusal = part["type"] === "refusal";
      const text = textAt(part, isRefusal ? "refusal" : "text") ?? "";
      if (text === "" && place !== this.#place) return;
      this.#open(isRefusal ? "refusal" : "text", place, item, parts);
      const rest = text.slice(this.#shown);
      if (rest !== "") {
        parts.push({ type: isRefusal ? "refusal_delta" : "text_delta", delta: rest });
        this.#shown += rest.length;
      }
      this.#close(item, part, parts);
    });
    // What was streamed and is not in the item any more was said all the same.
    if (this.#place !== undefined) this.#close(item, undefined, parts);
  }

  #open(kind: "text" | "refusal", place: number, item: JsonObject, parts: ProviderPart[]): void {
    if (this.#place === place) return;
    if (this.#place !== undefined) this.#close(item, undefined, parts);
    this.#place = place;
    this.#kind = kind;
    this.#shown = 0;
    if (kind === "text") parts.push({ type: "text_start" });
  }

  #close(item: JsonObject, part: JsonObject | undefined, parts: ProviderPart[]): void {
    this.#place = undefined;
    const annotations = listOf(part?.["annotations"]);
    const { id = null, phase = null } = item;
    const providerData = omit({ id, phase, ...(annotations.length > 0 && { annotations }) }, []);
    parts.push({ type: this.#kind === "text" ? "text_end" : "refusal_end", providerData });
  }
}

/** The texts of its summary, or of the reasoning itself, as one part; parted by an empty line. */
class ReasoningText implements OpenItem {
  #place: number | undefined;
  #kind: ItemDelta["kind"] | undefined;

  delta({ kind, place, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "summary" && kind !== "reasoning") return;
    const isNext = this.#kind !== undefined && (this.#kind !== kind || this.#place !== place);
    if (isNext) parts.push({ type: "thinking_delta", delta: "\n\n" });
    this.#kind = kind;
    this.#place = place;
    parts.push({ type: "thinking_delta", delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const summary = textsOf(item["summary"]);
    const content = textsOf(item["content"]);
    const texts = [...summary, ...content];
    if (this.#kind === undefined) {
      parts.push({ type: "thinking_start" });
      if (texts.length > 0) parts.push({ type: "thinking_delta", delta: texts.join("\n\n") });
    }
    // One text is not stored twice: it is the thinking of the part.
    const isRebuilt = texts.length <= 1;
    const providerData = {
      ...omit(item, isRebuilt ? ["type", "summary", "content"] : ["type"]),
      ...(isRebuilt && content.length > 0 && { isContent: true }),
    };
    parts.push({ type: "thinking_end", providerData });
  }
}

function textsOf(list: JsonValue | undefined): string[] {
  return listOf(list).flatMap((part) => (isObject(part) ? (textAt(part, "text") ?? []) : []));
}

/** A call of one of the caller's tools, with JSON or with free text for its input. */
class CallItem implements OpenItem {
  readonly #index: number;
  readonly #isCustom: boolean;
  #shown = 0;

  constructor(item: JsonObject, index: number, parts: ProviderPart[]) {
    this.#index = index;
    this.#isCustom = item["type"] === "custom_tool_call";
    const name = textAt(item, "name");
    if (name === undefined) throw protocolError("sent a call without the name of the tool");
    parts.push({ type: "toolcall_start", index, name, providerData: callData(item) });
  }

  delta({ kind, delta }: ItemDelta, parts: ProviderPart[]): void {
    if (kind !== "arguments" || delta === "") return;
    this.#shown += delta.length;
    parts.push({ type: "toolcall_delta", index: this.#index, delta });
  }

  end(item: JsonObject, parts: ProviderPart[]): void {
    const index = this.#index;
    const whole = textAt(item, this.#isCustom ? "input" : "arguments") ?? "";
    const rest = whole.slice(this.#shown);
    if (rest !== "") parts.push({ type: "toolcall_delta", index, delta: rest });
    // Cut by the token limit: what there is of the input is not all of it.
    if (item["status"] === "incomplete") return;
    const providerData = callData(item);
    if (this.#isCustom) parts.push({ type: "toolcall_end", index, input: whole, providerData });
    else if (this.#shown === 0 && whole === "") {
      parts.push({ type: "toolcall_end", index, input: {}, providerData });
    } else parts.push({ type: "toolcall_end", index, providerData });
  }
}

/** The id by which a result names the call is `call_id`; the item has one of its own. */
function callData(item: JsonObject): JsonObject {
  const { call_id: id = null, id: itemId = null, type = null, ...rest } = item;
  const isCustom = type === "custom_tool_call";
  return {
    ...omit({ id, itemId, ...(isCustom && { type }) }, []),
    ...omit(rest, ["name", "arguments", "input", "status"]),
  };
}

/** Shown when it is whole: nobody else can read its pieces. */
class NativeItem implements OpenItem {
  readonly #index: number;

  constructor(index: number) {
    this.#index = index;
  }

  delta(): void {}

  end(item: JsonObject, parts: ProviderPart[]): void {
    const call = serverCallOf(item);
    if (call === undefined) {
      parts.push({ type: "native", data: item });
      return;
    }
    const index = this.#index;
    const { name, input } = call;
    parts.push({ type: "toolcall_start", index, name, isProviderExecuted: true });
    parts.push({ type: "toolcall_end", index, input, providerData: { item } });
  }
}

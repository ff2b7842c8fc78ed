/** Decodes a reply, streamed or complete. State first, then one method for each kind of event. */
import type { FinishReason, JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { explainNoAnswer } from "../../projection/no-answer.ts";
import type { ReplyDecoder, Target } from "../../wire/protocol.ts";
import type { SseEvent } from "../../sse/sse-decoder.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";
import { toError } from "../openai-errors.ts";
import type { ItemDelta, OpenItem } from "./open-item.ts";
import { openItem } from "./open-item.ts";
import { protocolError } from "./protocol-error.ts";
import { toUsage } from "./reply-usage.ts";

const maxErrorChars = 10_000;

/** Kind of text that each delta event carries, and the field with the index of that text. */
const deltas: Readonly<Record<string, Pick<ItemDelta, "kind"> & { readonly placeAt: string }>> = {
  "response.output_text.delta": { kind: "text", placeAt: "content_index" },
  "response.refusal.delta": { kind: "refusal", placeAt: "content_index" },
  "response.reasoning_summary_text.delta": { kind: "summary", placeAt: "summary_index" },
  "response.reasoning_text.delta": { kind: "reasoning", placeAt: "content_index" },
  "response.function_call_arguments.delta": { kind: "arguments", placeAt: "" },
  "response.custom_tool_call_input.delta": { kind: "arguments", placeAt: "" },
};

/** Fields of a response that are kept with the message. The rest repeats the request. */
const kept: readonly string[] = [
  "id",
  "model",
  "status",
  "service_tier",
  "incomplete_details",
  "created_at",
];

export class ResponsesDecoder implements ReplyDecoder {
  readonly #target: Target;
  #hasStarted = false;
  #hasEnded = false;
  /** By output index: some servers change the ids of items from event to event. */
  readonly #open = new Map<number, OpenItem>();
  readonly #done = new Set<number>();
  #calls = 0;
  #callsTools = false;
  #hasAnswered = false;

  constructor(target: Target) {
    this.#target = target;
  }

  take({ data, isBare }: SseEvent, parts: ProviderPart[]): void {
    // Ignore everything after the end, and the marker that some servers end with.
    if (this.#hasEnded || data === "[DONE]") return;
    const event = parse(data);
    if (!isObject(event)) throw protocolError("sent an event that is not an object");
    if (isBare) throw this.#error(event, data);
    this.step(event, parts);
  }

  end(): void {
    if (this.#hasEnded) return;
    const { provider } = this.#target.origin;
    const problem = this.#hasStarted
      ? "ended its stream before the reply was complete"
      : "ended its stream before the reply began";
    throw new ProviderError("network", `${provider} ${problem}: retry`);
  }

  /** Decodes one event. Unknown kinds count as pings: their content is repeated at the end of the item. */
  step(event: JsonObject, parts: ProviderPart[]): void {
    const type = textAt(event, "type") ?? "";
    const delta = Object.hasOwn(deltas, type) ? deltas[type] : undefined;
    if (delta !== undefined) return this.#delta(event, delta.kind, delta.placeAt, parts);
    switch (type) {
      case "response.created":
        return this.#start(responseIn(event), parts);
      case "response.output_item.added":
        this.#openItem(outputIndexOf(event), itemIn(event), parts);
        return;
      case "response.output_item.done":
        return this.#endItem(outputIndexOf(event), itemIn(event), parts);
      case "response.completed":
      case "response.incomplete":
        return this.#finish(responseIn(event), parts);
      case "response.failed":
      case "response.cancelled":
        throw this.#error(responseIn(event), JSON.stringify(event));
      case "error":
        throw this.#error(event, JSON.stringify(event));
      default:
        parts.push({ type: "ping" });
    }
  }

  #start(response: JsonObject, parts: ProviderPart[]): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const metadata = metadataOf(response);
    parts.push({ type: "start", origin: this.#target.origin, metadata });
  }

  #delta(event: JsonObject, kind: ItemDelta["kind"], placeAt: string, parts: ProviderPart[]): void {
    const item = this.#open.get(outputIndexOf(event));
    const delta = textAt(event, "delta");
    if (item === undefined) throw protocolError("sent a piece of an item that is not open");
    if (delta === undefined) throw protocolError("sent a piece of an item without text");
    if (kind === "text" || kind === "refusal") this.#hasAnswered = true;
    const place = Number(event[placeAt] ?? 0);
    item.delta({ kind, place, delta }, parts);
  }

  #openItem(index: number, item: JsonObject, parts: ProviderPart[]): OpenItem {
    if (this.#open.has(index) || this.#done.has(index)) {
      throw protocolError(`began item ${index} twice`);
    }
    const open = openItem(item, this.#calls++, parts);
    this.#open.set(index, open);
    return open;
  }

  #endItem(index: number, item: JsonObject, parts: ProviderPart[]): void {
    if (this.#done.has(index)) return;
    const open = this.#open.get(index) ?? this.#openItem(index, item, parts);
    open.end(item, parts);
    this.#open.delete(index);
    this.#done.add(index);
    const { type } = item;
    if (type === "message" && listOf(item["content"]).length > 0) this.#hasAnswered = true;
    if (type === "function_call" || type === "custom_tool_call") this.#callsTools = true;
  }

  #finish(response: JsonObject, parts: ProviderPart[]): void {
    this.#start(response, parts);
    if (response["status"] === "failed" || response["status"] === "cancelled") {
      throw this.#error(response, JSON.stringify(response));
    }
    // Some servers send everything here and nothing before, others the other way round.
    listOf(response["output"]).forEach((item, index) => {
      if (isObject(item)) this.#endItem(index, item, parts);
    });
    const reason = this.#reasonOf(response);
    if (this.#open.size > 0 && reason !== "length" && reason !== "content-filter") {
      throw protocolError("ended the reply before all of its items were complete");
    }
    this.#hasEnded = true;
    if (reason === "content-filter" && !this.#hasAnswered) {
      explainNoAnswer(`${this.#target.origin.provider} blocked its reply: content filter.`, parts);
    }
    const usage = isObject(response["usage"]) ? { usage: toUsage(response["usage"]) } : {};
    parts.push({ type: "finish", reason, ...usage, metadata: metadataOf(response) });
  }

  #reasonOf({ status = null, incomplete_details: details = null }: JsonObject): FinishReason {
    if (status === "incomplete") {
      const why = isObject(details) ? textAt(details, "reason") : undefined;
      if (why === "content_filter") return "content-filter";
      return why === undefined || why === "max_output_tokens" ? "length" : why;
    }
    // A background response is not complete yet.
    if (typeof status === "string" && status !== "completed") return status;
    return this.#callsTools ? "tool-calls" : "stop";
  }

  #error(body: JsonObject, text: string): ProviderError {
    return toError({ body, text: text.slice(0, maxErrorChars) }, this.#target);
  }
}

/** Decodes a reply that was not streamed. */
export function decodeBody(body: JsonValue, target: Target): ProviderPart[] {
  if (!isObject(body)) throw protocolError("answered with a body that is not an object");
  if (!Array.isArray(body["output"])) {
    throw isObject(body["error"])
      ? toError({ body, text: "" }, target)
      : protocolError("answered without an output");
  }
  const decoder = new ResponsesDecoder(target);
  const parts: ProviderPart[] = [];
  decoder.step({ type: "response.completed", response: body }, parts);
  return parts;
}

function metadataOf(response: JsonObject): JsonObject {
  const { usage } = response;
  const told = Object.keys(response).filter((key) => !kept.includes(key));
  return { ...omit(response, told), ...(isObject(usage) && { usage }) };
}

function outputIndexOf(event: JsonObject): number {
  const index = event["output_index"];
  if (typeof index === "number") return index;
  throw protocolError("sent an event without output_index");
}

function itemIn(event: JsonObject): JsonObject {
  const { item } = event;
  if (isObject(item)) return item;
  throw protocolError("sent an item that is not an object");
}

function responseIn(event: JsonObject): JsonObject {
  const { response } = event;
  if (isObject(response)) return response;
  throw protocolError("sent a response that is not an object");
}

function parse(data: string): JsonValue {
  try {
    // JSON.parse returns nothing but JSON.
    return JSON.parse(data) as JsonValue;
  } catch (cause) {
    throw protocolError("sent an event that is not JSON", cause);
  }
}

/** Decodes a reply, streamed or complete. State first, then one method for each event. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { explainNoAnswer } from "../../projection/no-answer.ts";
import type { ReplyDecoder, Target } from "../../wire/protocol.ts";
import type { SseEvent } from "../../sse/sse-decoder.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit } from "../../wire/wire-json.ts";
import { toError } from "./errors.ts";
import type { OpenBlock } from "./open-block.ts";
import { openBlock } from "./open-block.ts";
import { needIndex, needObject, protocolError } from "./reply-fields.ts";
import { toUsage } from "./reply-usage.ts";
import { toFinishReason } from "./stop-reasons.ts";

const maxErrorChars = 10_000;

export class MessagesDecoder implements ReplyDecoder {
  readonly #target: Target;
  #hasStarted = false;
  #hasEnded = false;
  /** Blocks arrive one after the other. */
  #block: OpenBlock | undefined;
  #hasAnswered = false;
  /** The vendor's fields about the reply, under its own names; the latest value of each counts. */
  #metadata: JsonObject = {};
  #usage: JsonObject = {};

  constructor(target: Target) {
    this.#target = target;
  }

  take({ data, isBare }: SseEvent, parts: ProviderPart[]): void {
    // Ignore what proxies append after the end.
    if (this.#hasEnded) return;
    const event = parse(data);
    const isError = isObject(event) && (event["type"] === "error" || isBare);
    if (isError) throw toError({ body: event, text: data.slice(0, maxErrorChars) }, this.#target);
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

  /** Decodes one event. Unknown kinds count as pings: the vendor announces that there will be more kinds. */
  step(event: JsonValue, parts: ProviderPart[]): void {
    if (!isObject(event)) throw protocolError("sent an event that is not an object");
    switch (event["type"]) {
      case "content_block_delta":
        return this.#blockAt(event).delta(needObject(event, "delta"), parts);
      case "content_block_start":
        return this.#startBlock(event, parts);
      case "content_block_stop":
        return this.#endBlock(this.#blockAt(event), parts);
      case "message_start":
        return this.#start(needObject(event, "message"), parts);
      case "message_delta":
        return this.#describe(event, parts);
      case "message_stop":
        return this.#finish(parts);
      default:
        parts.push({ type: "ping" });
    }
  }

  #start(message: JsonObject, parts: ProviderPart[]): void {
    if (this.#hasStarted) throw protocolError('sent "message_start" twice');
    this.#hasStarted = true;
    this.#metadata = omit(message, ["type", "role", "content", "usage", "stop_reason"]);
    const { origin } = this.#target;
    parts.push({ type: "start", origin, metadata: this.#metadata });
    this.#count(message["usage"], parts);
  }

  #startBlock(event: JsonObject, parts: ProviderPart[]): void {
    this.#expectStarted("content_block_start");
    if (this.#block !== undefined) {
      throw protocolError(`began a block before block ${this.#block.index} had ended`);
    }
    this.#block = openBlock(needIndex(event), needObject(event, "content_block"), parts);
  }

  #endBlock(block: OpenBlock, parts: ProviderPart[]): void {
    block.end(parts);
    this.#hasAnswered ||= block.isAnswer === true;
    this.#block = undefined;
  }

  #blockAt(event: JsonObject): OpenBlock {
    const block = this.#block;
    const index = needIndex(event);
    if (block?.index === index) return block;
    throw protocolError(`sent data for block ${index}, which is not open`);
  }

  /** Keeps the stop reason and the usage so far. */
  #describe(event: JsonObject, parts: ProviderPart[]): void {
    this.#expectStarted("message_delta");
    const around = omit(event, ["type", "delta", "usage"]);
    this.#metadata = merge(merge(this.#metadata, around), needObject(event, "delta"));
    this.#count(event["usage"], parts);
  }

  /** Usage comes at the start and at the end. Later counts replace earlier ones, and are never added. */
  #count(usage: JsonValue | undefined, parts: ProviderPart[]): void {
    if (!isObject(usage)) return;
    this.#usage = merge(this.#usage, usage);
    parts.push({ type: "usage", usage: toUsage(this.#usage) });
  }

  #finish(parts: ProviderPart[]): void {
    this.#expectStarted("message_stop");
    const stopReason = this.#metadata["stop_reason"];
    if (typeof stopReason !== "string")
      throw protocolError("ended the reply without a stop reason");
    const reason = toFinishReason(stopReason);
    // A truncated reply may end inside a block. The block stays open: a call in it was never complete.
    const mayBeCut = reason === "length" || reason === "content-filter";
    if (this.#block !== undefined && !mayBeCut) {
      throw protocolError(`ended the reply before block ${this.#block.index} had ended`);
    }
    this.#hasEnded = true;
    const isSilent = !this.#hasAnswered && this.#block?.isAnswer !== true;
    if (reason === "content-filter" && isSilent) explainNoAnswer(this.#refusal(), parts);
    parts.push({ type: "finish", reason, metadata: { ...this.#metadata, usage: this.#usage } });
  }

  /** The vendor's explanation, which may be missing. */
  #refusal(): string {
    const details = this.#metadata["stop_details"];
    const { explanation, category } = isObject(details) ? details : {};
    if (typeof explanation === "string" && explanation.trim() !== "") return explanation;
    const why = typeof category === "string" ? `its policy (${category})` : "its policy";
    return `${this.#target.origin.provider} refused to answer because of ${why}.`;
  }

  #expectStarted(type: string): void {
    if (!this.#hasStarted) throw protocolError(`sent "${type}" before "message_start"`);
  }
}

/** Decodes a complete reply as the events of a stream. */
export function decodeBody(body: JsonValue, target: Target): ProviderPart[] {
  if (!isObject(body)) throw protocolError("answered with a body that is not an object");
  if (body["type"] === "error") throw toError({ body, text: "" }, target);
  const { content } = body;
  if (!Array.isArray(content)) throw protocolError("answered without content");
  const decoder = new MessagesDecoder(target);
  const parts: ProviderPart[] = [];
  decoder.step({ type: "message_start", message: body }, parts);
  listOf(content).forEach((block, index) => {
    decoder.step({ type: "content_block_start", index, content_block: block }, parts);
    decoder.step({ type: "content_block_stop", index }, parts);
  });
  const { stop_reason = null } = body;
  decoder.step({ type: "message_delta", delta: { stop_reason } }, parts);
  decoder.step({ type: "message_stop" }, parts);
  return parts;
}

/** Later fields win; `null` fields are ignored. */
function merge(earlier: JsonObject, later: JsonObject): JsonObject {
  return { ...earlier, ...omit(later, []) };
}

function parse(data: string): JsonValue {
  try {
    // JSON.parse returns nothing but JSON.
    return JSON.parse(data) as JsonValue;
  } catch (cause) {
    throw protocolError("sent an event that is not JSON", cause);
  }
}

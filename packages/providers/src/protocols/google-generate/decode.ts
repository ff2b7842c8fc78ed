/** Decodes a reply, streamed or complete. It ends when the vendor closes the stream: a finish reason may come more than once. */
import type { FinishReason, JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { explainNoAnswer } from "../../projection/no-answer.ts";
import type { ReplyDecoder, Target } from "../../wire/protocol.ts";
import type { SseEvent } from "../../sse/sse-decoder.ts";
import { oneLine } from "../../transport/http-errors.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";
import { toError } from "./errors.ts";
import { explanationOf, isNoAnswer, isWrongCall, toFinishReason } from "./finish-reasons.ts";
import { protocolError } from "./protocol-error.ts";
import { toUsage } from "./reply-usage.ts";
import { serverCallOf } from "./server-calls.ts";
import { StreamedArguments } from "./streamed-arguments.ts";

const maxErrorChars = 10_000;

export class GenerateDecoder implements ReplyDecoder {
  readonly #target: Target;
  #hasStarted = false;
  #hasEnded = false;
  #calls = 0;
  #callsTools = false;
  #hasAnswered = false;
  /** Call whose arguments are still arriving. */
  #streamed: StreamedArguments | undefined;
  #finishReason: FinishReason | undefined;
  #metadata: JsonObject = {};

  constructor(target: Target) {
    this.#target = target;
  }

  take({ data, isBare }: SseEvent, parts: ProviderPart[]): void {
    // Some proxies end every stream with this.
    if (this.#hasEnded || data === "[DONE]") return;
    const chunk = parse(data);
    if (!isObject(chunk)) throw protocolError("sent an event that is not an object");
    if (isBare || isObject(chunk["error"])) throw this.#error(chunk, data);
    this.step(chunk, parts);
  }

  end(parts: ProviderPart[]): void {
    if (this.#hasEnded) return;
    if (this.#finishReason !== undefined) return this.#finish(this.#finishReason, parts);
    const { provider } = this.#target.origin;
    const problem = this.#hasStarted
      ? "ended its stream before the reply was complete"
      : "ended its stream before the reply began";
    throw new ProviderError("network", `${provider} ${problem}: retry`);
  }

  /** Decodes a chunk or a complete reply. */
  step(chunk: JsonObject, parts: ProviderPart[]): void {
    if (isObject(chunk["error"])) throw this.#error(chunk, JSON.stringify(chunk));
    this.#describe(chunk, parts);
    this.#candidate(chunk, parts);
    const { promptFeedback: feedback } = chunk;
    if (isObject(feedback) && feedback["blockReason"] !== undefined) {
      this.#finishReason = "content-filter";
    }
  }

  #candidate(chunk: JsonObject, parts: ProviderPart[]): void {
    // Only one candidate is ever requested.
    const [candidate] = listOf(chunk["candidates"]);
    if (!isObject(candidate)) return;
    const { content, finishReason } = candidate;
    if (isObject(content)) for (const part of listOf(content["parts"])) this.#part(part, parts);
    this.#metadata = { ...this.#metadata, ...omit(candidate, ["content", "index"]) };
    if (typeof finishReason === "string" || typeof finishReason === "number") {
      this.#finishReason = toFinishReason(finishReason);
    }
  }

  #describe(chunk: JsonObject, parts: ProviderPart[]): void {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      parts.push({ type: "start", origin: this.#target.origin });
    }
    this.#metadata = { ...this.#metadata, ...omit(chunk, ["candidates"]) };
    const { usageMetadata: usage } = chunk;
    if (isObject(usage)) parts.push({ type: "usage", usage: toUsage(usage) });
  }

  #part(part: JsonValue, parts: ProviderPart[]): void {
    if (!isObject(part)) throw protocolError("sent a part that is not an object");
    const { functionCall: call, text } = part;
    // A reply that continues has not ended, whatever came before.
    if (text !== "") this.#finishReason = undefined;
    if (isObject(call)) return this.#call(call, part, parts);
    if (typeof text === "string") return this.#prose(text, part, parts);
    const ran = serverCallOf(part);
    if (ran === undefined) {
      parts.push({ type: "native", data: part });
      return;
    }
    const index = this.#calls++;
    parts.push({ type: "toolcall_start", index, name: ran.name, isProviderExecuted: true });
    parts.push({ type: "toolcall_end", index, input: ran.input, providerData: { part } });
  }

  /** A signature belongs to the text before it, and may come with a last, empty chunk. */
  #prose(text: string, part: JsonObject, parts: ProviderPart[]): void {
    const isThought = part["thought"] === true;
    const signature = textAt(part, "thoughtSignature");
    if (text !== "" && !isThought) this.#hasAnswered = true;
    if (text !== "") parts.push({ type: isThought ? "thinking_delta" : "text_delta", delta: text });
    if (signature === undefined) return;
    const providerData = { thoughtSignature: signature };
    parts.push({ type: isThought ? "thinking_end" : "text_end", providerData });
  }

  /** Decodes a call, complete or in pieces: the first names the tool, the last lacks `willContinue`. */
  #call(call: JsonObject, part: JsonObject, parts: ProviderPart[]): void {
    const name = textAt(call, "name");
    if (name !== undefined) this.#startCall(name, call, part, parts);
    const streamed = this.#streamed;
    if (streamed === undefined) return;
    streamed.take(call["partialArgs"]);
    if (call["willContinue"] === true) return;
    this.#streamed = undefined;
    this.#endCall(streamed.value, parts);
  }

  #startCall(name: string, call: JsonObject, part: JsonObject, parts: ProviderPart[]): void {
    if (this.#streamed !== undefined) {
      throw protocolError("began a call before the arguments of the previous one were complete");
    }
    const providerData = {
      ...omit(part, ["functionCall"]),
      ...omit(call, ["name", "args", "partialArgs", "willContinue"]),
    };
    parts.push({ type: "toolcall_start", index: this.#calls, name, providerData });
    const isStreamed = call["willContinue"] === true || call["partialArgs"] !== undefined;
    if (isStreamed) this.#streamed = new StreamedArguments();
    else this.#endCall(call["args"] ?? {}, parts);
  }

  #endCall(input: JsonValue, parts: ProviderPart[]): void {
    parts.push({ type: "toolcall_end", index: this.#calls++, input });
    this.#callsTools = true;
  }

  #finish(reason: FinishReason, parts: ProviderPart[]): void {
    if (isWrongCall(reason)) throw this.#wrongCall(reason);
    const mayBeCut = reason === "length" || reason === "content-filter";
    if (this.#streamed !== undefined && !mayBeCut) {
      throw protocolError("ended the reply before the arguments of a call were complete");
    }
    this.#hasEnded = true;
    const isSilent = !this.#hasAnswered && (reason === "content-filter" || this.#calls === 0);
    if (isNoAnswer(reason) && isSilent) {
      explainNoAnswer(explanationOf(this.#target.origin.provider, this.#metadata), parts);
    }
    const isCall = reason === "stop" && this.#callsTools;
    parts.push({
      type: "finish",
      reason: isCall ? "tool-calls" : reason,
      metadata: this.#metadata,
    });
  }

  /** One retry is worthwhile: the model may get it right, but if it fails twice it will keep failing. */
  #wrongCall(reason: FinishReason): ProviderError {
    const { origin, attempt = 1 } = this.#target;
    const said = textAt(this.#metadata, "finishMessage") ?? "no details given";
    return new ProviderError(
      "protocol",
      `The ${origin.provider} model wrote a malformed call (${reason}): ${oneLine(said)}`,
      { retryable: attempt === 1 },
    );
  }

  #error(body: JsonObject, text: string): ProviderError {
    return toError({ body, text: text.slice(0, maxErrorChars) }, this.#target);
  }
}

/** Decodes a reply that is not an event stream; a stream requested without events arrives as a list of chunks. */
export function decodeBody(body: JsonValue, target: Target): ProviderPart[] {
  const chunks = Array.isArray(body) ? listOf(body) : [body];
  const decoder = new GenerateDecoder(target);
  const parts: ProviderPart[] = [];
  for (const chunk of chunks) {
    if (!isObject(chunk)) throw protocolError("answered with a body that is not an object");
    decoder.step(chunk, parts);
  }
  decoder.end(parts);
  return parts;
}

function parse(data: string): JsonValue {
  try {
    // JSON.parse returns nothing but JSON.
    return JSON.parse(data) as JsonValue;
  } catch (cause) {
    throw protocolError("sent an event that is not JSON", cause);
  }
}

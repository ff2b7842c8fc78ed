/** Writes a reply as the Gemini API streams it, and as a complete body. */
import type { FinishReason, JsonValue, ProviderPart, Usage } from "@capstan/kernel";
import type { ReplyWriter, WireEvent } from "../emulation.ts";
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusal.ts";
import { estimateTokens } from "../token-estimate.ts";
import { errorBody } from "./errors.ts";
import type { Frames } from "./frames.ts";
import type { ModelTraits } from "./model-traits.ts";
import { toPartialArgs } from "./partial-args.ts";
import type { Signatures } from "./signatures.ts";

export interface GenerateReplyContext {
  readonly model: string;
  readonly traits: ModelTraits;
  readonly frames: Frames;
  readonly signatures: Signatures;
  readonly showsThoughts: boolean;
  readonly streamsArguments: boolean;
  /** Estimated usage. */
  readonly usage: Usage;
  readonly responseId: string;
  newCallId(): string;
}

interface Call {
  readonly head: JsonObject;
  readonly signature: string | undefined;
  said: string;
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
};

export class GenerateReply implements ReplyWriter {
  readonly #context: GenerateReplyContext;
  /** Parts of a complete response. */
  readonly #parts: JsonObject[] = [];
  readonly #calls = new Map<number, Call>();
  #hasCalled = false;
  #hasThought = false;
  #isMalformed = false;
  #refusal = "";
  /** Signature from the script for the next part. */
  #signature: string | undefined;
  #feedback: JsonValue | undefined;
  /** In characters. */
  #spoken = 0;
  #thought = 0;
  #usage: Usage = {};
  #end: JsonObject = {};

  constructor(context: GenerateReplyContext) {
    this.#context = context;
  }

  take(part: ProviderPart): WireEvent[] {
    if (part.type === "usage" || part.type === "finish") {
      this.#usage = { ...this.#usage, ...part.usage };
    }
    return this.#takePart(part);
  }

  fail(refusal: Refusal): WireEvent[] {
    return [this.#context.frames.fail(errorBody(refusal))];
  }

  body(): JsonValue {
    return this.#end;
  }

  #takePart(part: ProviderPart): WireEvent[] {
    switch (part.type) {
      case "start":
      case "usage":
      // There is no keep-alive.
      case "ping":
      case "text_start":
      case "text_end":
      case "thinking_start":
      case "refusal_end":
        return [];
      case "text_delta":
        this.#spoken += part.delta.length;
        return this.#addText({ text: part.delta });
      case "thinking_delta":
        return this.#think(part.delta);
      case "thinking_end":
        if (typeof part.providerData === "string") this.#signature = part.providerData;
        return [];
      case "refusal_delta":
        this.#refusal += part.delta;
        return [];
      case "toolcall_start":
        return this.#startCall(part);
      case "toolcall_delta":
        return this.#addToCall(part.index, part.delta);
      case "toolcall_end":
        return this.#endCall(part.index, part.input);
      case "native":
        return this.#addNative(part.data);
      case "finish":
        return this.#finish(part.reason);
      default:
        return part satisfies never;
    }
  }

  #think(delta: string): WireEvent[] {
    this.#hasThought = true;
    this.#thought += delta.length;
    return this.#context.showsThoughts ? this.#addText({ text: delta, thought: true }) : [];
  }

  /** Adjacent text of the same kind is one part of a complete response. */
  #addText(piece: JsonObject): WireEvent[] {
    const last = this.#parts.at(-1);
    const isMore = last !== undefined && "text" in last && last["thought"] === piece["thought"];
    if (isMore) {
      const text = `${asText(last["text"])}${asText(piece["text"])}`;
      this.#parts[this.#parts.length - 1] = { ...last, text };
    } else this.#parts.push(piece);
    return [this.#chunk([piece])];
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): WireEvent[] {
    if (part.isProviderExecuted === true) {
      throw new Error("Gemini runs only its own tools: script them with native()");
    }
    const given = isObject(part.providerData) ? part.providerData["id"] : undefined;
    const { traits, newCallId, streamsArguments } = this.#context;
    const usual = traits.version >= 300 ? newCallId() : undefined;
    const id = typeof given === "string" ? given : usual;
    const head = { name: part.name, ...(id !== undefined && { id }) };
    const signature = this.#signCall();
    this.#hasCalled = true;
    this.#calls.set(part.index, { head, signature, said: "" });
    if (!streamsArguments) return [];
    return [this.#chunk([sign({ functionCall: { ...head, willContinue: true } }, signature)])];
  }

  /** Only the first call of a reply is signed; older models sign it only if they have thought. */
  #signCall(): string | undefined {
    const scripted = this.#signature;
    this.#signature = undefined;
    if (scripted !== undefined) return scripted;
    const { traits, signatures } = this.#context;
    const isSigned = !this.#hasCalled && (traits.needsSignatures || this.#hasThought);
    return isSigned ? signatures.sign(traits) : undefined;
  }

  #addToCall(index: number, delta: string): WireEvent[] {
    const call = this.#calls.get(index);
    if (call !== undefined) call.said += delta;
    return [];
  }

  #endCall(index: number, input: JsonValue | undefined): WireEvent[] {
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    if (call === undefined) return [];
    const args = input ?? parse(call.said);
    if (!isObject(args)) {
      this.#isMalformed = true;
      return [];
    }
    this.#spoken += JSON.stringify(args).length;
    const whole = sign({ functionCall: { ...call.head, args } }, call.signature);
    this.#parts.push(whole);
    if (!this.#context.streamsArguments) return [this.#chunk([whole])];
    const pieces = toPartialArgs(args).map((piece) =>
      this.#chunk([{ functionCall: { partialArgs: [piece], willContinue: true } }]),
    );
    return [...pieces, this.#chunk([{ functionCall: {} }])];
  }

  /** Adds a native part, or feedback on the prompt. */
  #addNative(data: JsonValue): WireEvent[] {
    if (!isObject(data)) throw new Error("A native part of the Gemini API must be an object");
    if (data["promptFeedback"] !== undefined) {
      this.#feedback = data["promptFeedback"];
      return [];
    }
    this.#spoken += estimateTokens(data) * 4;
    this.#parts.push(data);
    return [this.#chunk([data])];
  }

  #finish(reason: FinishReason): WireEvent[] {
    if (reason === "pause") throw new Error("The Gemini API has no pause");
    const { frames } = this.#context;
    if (this.#feedback !== undefined) {
      this.#end = { promptFeedback: this.#feedback, ...this.#frame() };
      return [frames.next(this.#end), ...frames.end()];
    }
    const ending = this.#endingOf(reason);
    const last = sign({ text: "" }, this.#signText());
    const isSilent = this.#parts.length === 0 && ending["finishReason"] !== "STOP";
    const parts = this.#parts.length === 0 ? [last] : this.#parts;
    const content = { parts, role: "model" };
    const candidate = { ...(!isSilent && { content }), ...ending, index: 0 };
    this.#end = { candidates: [candidate], ...this.#frame() };
    const tail = isSilent ? ending : { content: { parts: [last], role: "model" }, ...ending };
    const chunk = { candidates: [{ ...tail, index: 0 }], ...this.#frame() };
    return [frames.next(chunk), ...frames.end()];
  }

  #endingOf(reason: FinishReason): JsonObject {
    if (this.#isMalformed) {
      const finishMessage = "Malformed function call: the arguments are not an object";
      return { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage };
    }
    if (this.#refusal !== "") {
      return { finishReason: "PROHIBITED_CONTENT", finishMessage: this.#refusal };
    }
    const finishReason = finishReasons[reason] ?? reason;
    const isCall = finishReason === "STOP" && this.#hasCalled;
    return {
      finishReason,
      ...(isCall && { finishMessage: "Model generated function call(s)." }),
    };
  }

  /** A reply without calls signs its text: at the end, so that it can be streamed. */
  #signText(): string | undefined {
    if (this.#hasCalled) return undefined;
    const { traits, signatures } = this.#context;
    const signature =
      this.#signature ?? (traits.needsSignatures ? signatures.sign(traits) : undefined);
    const last = this.#parts.at(-1);
    const isText = last !== undefined && "text" in last && last["thought"] !== true;
    if (isText && signature !== undefined) {
      this.#parts[this.#parts.length - 1] = sign(last, signature);
    }
    return isText || this.#parts.length === 0 ? signature : undefined;
  }

  #chunk(parts: readonly JsonObject[]): WireEvent {
    const candidate = { content: { parts, role: "model" }, index: 0 };
    return this.#context.frames.next({ candidates: [candidate], ...this.#frame() });
  }

  #frame(): JsonObject {
    const { model, responseId } = this.#context;
    return { usageMetadata: this.#usageOf(), modelVersion: model, responseId };
  }

  /** Counts from the script, else the estimate. Thinking is counted separately. */
  #usageOf(): JsonObject {
    const said = { ...this.#context.usage, ...this.#usage };
    const { inputTokens = 0, cacheReadTokens = 0 } = said;
    const { reasoningTokens = Math.ceil(this.#thought / 4) } = said;
    const { outputTokens = Math.ceil(this.#spoken / 4) + reasoningTokens } = said;
    const spoken = outputTokens - reasoningTokens;
    return {
      promptTokenCount: inputTokens,
      ...(spoken > 0 && { candidatesTokenCount: spoken }),
      totalTokenCount: inputTokens + outputTokens,
      ...(cacheReadTokens > 0 && {
        cachedContentTokenCount: cacheReadTokens,
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: cacheReadTokens }],
      }),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
      ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
      serviceTier: "standard",
    };
  }
}

function sign(part: JsonObject, signature: string | undefined): JsonObject {
  return signature === undefined ? part : { ...part, thoughtSignature: signature };
}

/** Undefined if the text is not JSON. A call without arguments has none to parse. */
function parse(text: string): JsonValue | undefined {
  if (text === "") return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON. The caller reports the call as malformed.
    return undefined;
  }
}

/** Decodes a reply, streamed or complete, of any server that implements this API more or less. */
import type { FinishReason, JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { blockedFor, explainNoAnswer, filteredIn } from "../../projection/no-answer.ts";
import type { ReplyDecoder, Target } from "../../wire/protocol.ts";
import type { SseEvent } from "../../sse/sse-decoder.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";
import { toError } from "../openai-errors.ts";
import { OpenCalls } from "./open-calls.ts";
import { protocolError } from "./protocol-error.ts";
import { ReasoningDetails, readableIn } from "./reasoning-details.ts";
import { toUsage, usageIn } from "./reply-usage.ts";

const maxErrorChars = 10_000;

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  tool_calls: "tool-calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "content-filter",
};
/** Words that fail an attempt in the kernel, and must not come from a server. */
const reserved: ReadonlySet<string> = new Set(["error", "aborted"]);

/** Fields in which servers send readable reasoning. */
const reasoningFields = ["reasoning_content", "reasoning"] as const;

export class ChatDecoder implements ReplyDecoder {
  readonly #target: Target;
  readonly #calls = new OpenCalls();
  readonly #details = new ReasoningDetails();
  #hasStarted = false;
  #hasEnded = false;
  #hasAnswered = false;
  /** Findings of a content filter, if the server reports them. */
  #findings: readonly string[] = [];
  #isThinking = false;
  /** Field in which the open reasoning arrived. */
  #field: string | undefined;
  #finishReason: string | undefined;
  /** Whether a finish reason came and nothing after it: some servers send one after each of several calls. */
  #hasStopped = false;
  #metadata: JsonObject = {};
  #usage: JsonObject | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  take({ data, event, isBare }: SseEvent, parts: ProviderPart[]): void {
    if (this.#hasEnded) return;
    if (data.trim() === "[DONE]") return this.#done(parts);
    const chunk = parse(data);
    if (!isObject(chunk)) throw protocolError("sent an event that is not an object");
    const isError = isBare || event === "error" || isFailure(chunk);
    if (isError) throw toError({ body: chunk, text: data.slice(0, maxErrorChars) }, this.#target);
    this.step(chunk, parts);
  }

  /** Not every server sends [DONE], but a server that does not must have sent a finish reason. */
  end(parts: ProviderPart[]): void {
    if (this.#hasEnded) return;
    if (!this.#hasStopped) throw this.#cutOff();
    this.finish(parts);
  }

  /** Proxies send [DONE] even after a truncated reply: without a finish reason, every call must have complete arguments. */
  #done(parts: ProviderPart[]): void {
    if (!this.#hasStopped && !this.#calls.areWhole) throw this.#cutOff();
    this.finish(parts);
  }

  #cutOff(): ProviderError {
    const { provider } = this.#target.origin;
    const problem = this.#hasStarted
      ? "ended its stream before the reply was complete"
      : "ended its stream before the reply began";
    return new ProviderError("network", `${provider} ${problem}: retry`);
  }

  /** Decodes a chunk or a complete reply. */
  step(chunk: JsonObject, parts: ProviderPart[]): void {
    this.#start(chunk, parts);
    const usage = usageIn(chunk);
    if (usage !== undefined) {
      this.#usage = usage;
      parts.push({ type: "usage", usage: toUsage(usage, this.#isReasoningApart) });
    }
    // Only one choice is ever requested.
    const [choice] = listOf(chunk["choices"]);
    if (!isObject(choice)) return;
    const { delta, message, finish_reason: reason } = choice;
    if (isFailure(choice) || reason === "error") {
      throw toError({ body: choice, text: JSON.stringify(choice) }, this.#target);
    }
    const before = parts.length;
    if (isObject(delta)) this.#speak(delta, parts);
    else if (isObject(message)) this.#speak(message, parts);
    if (parts.length > before) this.#hasStopped = false;
    if (typeof reason !== "string" || reason === "") return;
    this.#findings = filteredIn(choice["content_filter_results"]);
    this.#finishReason = reason;
    this.#hasStopped = true;
  }

  get #isReasoningApart(): boolean {
    return this.#target.quirks.chat?.countsReasoningApart === true;
  }

  #start(chunk: JsonObject, parts: ProviderPart[]): void {
    const told = omit(chunk, [
      "choices",
      "usage",
      "object",
      "x_groq",
      "obfuscation",
      "p",
      "timings",
    ]);
    const { id = "", ...rest } = told;
    // Some servers omit the id at first.
    this.#metadata = { ...this.#metadata, ...rest, ...(id !== "" && { id }) };
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    parts.push({ type: "start", origin: this.#target.origin });
  }

  #speak(delta: JsonObject, parts: ProviderPart[]): void {
    this.#think(delta, parts);
    const { content, tool_calls: calls } = delta;
    if (typeof content === "string") this.#say("text_delta", content, parts);
    else for (const part of listOf(content)) this.#sayPart(part, parts);
    this.#say("refusal_delta", textAt(delta, "refusal") ?? "", parts);
    for (const call of listOf(calls)) {
      this.#endThinking(parts);
      this.#calls.take(call, parts);
    }
  }

  #think(delta: JsonObject, parts: ProviderPart[]): void {
    const { reasoning_details: details } = delta;
    this.#details.add(details);
    const field = reasoningFields.find((name) => (textAt(delta, name) ?? "") !== "");
    const thought = field === undefined ? readableIn(details) : textAt(delta, field);
    if (thought === undefined || thought === "") return;
    this.#isThinking = true;
    this.#field = field ?? "reasoning_details";
    parts.push({ type: "thinking_delta", delta: thought });
  }

  /** Content as a list of parts; thinking has its own kind. */
  #sayPart(part: JsonValue, parts: ProviderPart[]): void {
    if (!isObject(part)) return;
    if (part["type"] !== "thinking") {
      return this.#say("text_delta", textAt(part, "text") ?? "", parts);
    }
    for (const thought of listOf(part["thinking"])) {
      const delta = isObject(thought) ? (textAt(thought, "text") ?? "") : "";
      if (delta === "") continue;
      this.#isThinking = true;
      this.#field = "content";
      parts.push({ type: "thinking_delta", delta });
    }
  }

  #say(type: "text_delta" | "refusal_delta", delta: string, parts: ProviderPart[]): void {
    if (delta === "") return;
    this.#endThinking(parts);
    this.#hasAnswered = true;
    parts.push({ type, delta });
  }

  #endThinking(parts: ProviderPart[]): void {
    if (!this.#isThinking && this.#details.isEmpty) return;
    const details = this.#details.take();
    const field = this.#field;
    parts.push({
      type: "thinking_end",
      providerData: {
        ...(field !== undefined && { field }),
        ...(details.length > 0 && { details }),
      },
    });
    this.#isThinking = false;
  }

  /** Ends the reply, which the server has reported to be complete. */
  finish(parts: ProviderPart[]): void {
    this.#start({}, parts);
    this.#endThinking(parts);
    const reason = this.#reason();
    this.#calls.end(reason === "length" || reason === "content-filter", parts);
    this.#hasEnded = true;
    if (reason === "content-filter" && !this.#hasAnswered) explainNoAnswer(this.#block(), parts);
    const finishReason = this.#finishReason;
    const metadata = {
      ...this.#metadata,
      ...(finishReason !== undefined && { finish_reason: finishReason }),
      ...(this.#usage && { usage: this.#usage }),
    };
    parts.push({ type: "finish", reason, metadata });
  }

  #block(): string {
    const why = blockedFor("content filter", this.#findings);
    return `${this.#target.origin.provider} blocked its reply: ${why}.`;
  }

  /** Without a stated reason the server simply stopped. Some servers also use `stop` when they call tools. */
  #reason(): FinishReason {
    const word = this.#finishReason ?? "stop";
    const known = Object.hasOwn(reasons, word) ? reasons[word] : undefined;
    if (known === "stop" && !this.#calls.isEmpty) return "tool-calls";
    return known ?? (reserved.has(word) ? `server-${word}` : word);
  }
}

/** Decodes a reply that was not streamed. */
export function decodeBody(body: JsonValue, target: Target): ProviderPart[] {
  if (!isObject(body)) throw protocolError("answered with a body that is not an object");
  if (isFailure(body)) throw toError({ body, text: "" }, target);
  if (!Array.isArray(body["choices"])) throw protocolError("answered without a choice");
  const decoder = new ChatDecoder(target);
  const parts: ProviderPart[] = [];
  decoder.step(body, parts);
  decoder.finish(parts);
  return parts;
}

/** `{ error: { … } }`, `{ error: "…" }`, or Mistral's `{ object: "error", … }`. */
function isFailure({ error = null, object = null }: JsonObject): boolean {
  return isObject(error) || (typeof error === "string" && error !== "") || object === "error";
}

function parse(data: string): JsonValue {
  try {
    // JSON.parse returns nothing but JSON.
    return JSON.parse(data) as JsonValue;
  } catch (cause) {
    throw protocolError("sent an event that is not JSON", cause);
  }
}

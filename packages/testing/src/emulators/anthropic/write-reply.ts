/** Writes a reply as the Messages API streams it, and as a complete body. */
import type { FinishReason, JsonValue, ProviderPart, Usage } from "@capstan/kernel";
import type { ReplyWriter, WireEvent } from "../emulation.ts";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { CacheUse } from "../marked-prompt-cache.ts";
import type { Refusal } from "../refusal.ts";
import { estimateTokens } from "../token-estimate.ts";
import { after } from "./thinking-ledger.ts";
import type { Binding, DroppedThinking, ThinkingLedger } from "./thinking-ledger.ts";

export interface ReplyContext {
  readonly model: string;
  readonly ledger: ThinkingLedger;
  /** State of the conversation at the end of the request. */
  readonly binding: Binding;
  /** Undefined if the client did not ask for it. */
  readonly dropped: readonly DroppedThinking[] | undefined;
  readonly cache: CacheUse;
  /** True to send thinking without its text. */
  readonly hidesThinking: boolean;
  readonly stopSequences: readonly string[];
  newId(prefix: string): string;
}

/** A block in progress. Text and thinking grow by deltas, a call by pieces of JSON. */
interface OpenBlock {
  readonly index: number;
  readonly kind: "text" | "thinking" | "call";
  readonly head: JsonObject;
  said: string;
  signature?: string;
}

export class MessagesReply implements ReplyWriter {
  readonly #context: ReplyContext;
  readonly #id: string;
  #binding: Binding;
  readonly #content: JsonObject[] = [];
  #open: OpenBlock | undefined;
  readonly #calls = new Map<number, OpenBlock>();
  #hasBegun = false;
  #refusal = "";
  /** In characters. */
  #thought = 0;
  #spoken = 0;
  #usage: Usage = {};
  #end: JsonObject = { stop_reason: null, stop_sequence: null };

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#binding = context.binding;
    this.#id = context.newId("msg_");
  }

  take(part: ProviderPart): WireEvent[] {
    return [...this.#begin(part), ...this.#takePart(part)];
  }

  fail({ type, message }: Refusal): WireEvent[] {
    const data = { type: "error", error: { details: null, type, message }, request_id: null };
    return [{ event: "error", data }];
  }

  body(): JsonValue {
    return { ...this.#head(), content: this.#content, ...this.#end, usage: this.#usageOf("end") };
  }

  /** The first event has the input counts, the last one all counts. */
  #begin(part: ProviderPart): WireEvent[] {
    if (part.type === "usage") this.#usage = { ...this.#usage, ...part.usage };
    if (part.type === "finish") this.#usage = { ...this.#usage, ...part.usage };
    if (this.#hasBegun || part.type === "usage") return [];
    this.#hasBegun = true;
    const message = {
      ...this.#head(),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: this.#usageOf("start"),
    };
    return [event("message_start", { message })];
  }

  #head(): JsonObject {
    const { model, dropped } = this.#context;
    return {
      id: this.#id,
      type: "message",
      role: "assistant",
      model,
      // Requested by a beta header, and then always present.
      ...(dropped !== undefined && {
        input_transformations: dropped.map((entry) => ({ ...entry })),
      }),
    };
  }

  #takePart(part: ProviderPart): WireEvent[] {
    switch (part.type) {
      case "start":
      case "usage":
        return [];
      case "ping":
        return [event("ping", {})];
      case "text_start":
        return [...this.#close(), ...this.#openProse("text")];
      case "thinking_start":
        return [...this.#close(), ...this.#openProse("thinking")];
      case "text_delta":
        return this.#say("text", part.delta);
      case "thinking_delta":
        return this.#say("thinking", part.delta);
      case "text_end":
        return this.#close();
      case "thinking_end":
        return this.#endThinking(part.providerData);
      case "refusal_delta":
        this.#refusal += part.delta;
        return this.#close();
      case "refusal_end":
        return [];
      case "toolcall_start":
        return this.#startCall(part);
      case "toolcall_delta":
        return this.#addToCall(part.index, part.delta);
      case "toolcall_end":
        return this.#endCall(part.index, part.input);
      case "native":
        return [...this.#close(), ...this.#addWhole(part.data)];
      case "finish":
        return this.#finish(part.reason);
      default:
        return part satisfies never;
    }
  }

  #openProse(kind: "text" | "thinking"): WireEvent[] {
    const head = kind === "text" ? { text: "" } : { thinking: "", signature: "" };
    this.#open = this.#newBlock(kind, { type: kind, ...head });
    return this.#started(this.#open);
  }

  #say(kind: "text" | "thinking", delta: string): WireEvent[] {
    const opened = this.#open?.kind === kind ? [] : [...this.#close(), ...this.#openProse(kind)];
    const block = this.#open;
    if (block === undefined) return opened;
    if (kind === "thinking") this.#thought += delta.length;
    if (kind === "thinking" && this.#context.hidesThinking) return opened;
    this.#spoken += kind === "text" ? delta.length : 0;
    block.said += delta;
    const said = kind === "text" ? { text: delta } : { thinking: delta };
    return [...opened, deltaOf(block, { type: `${kind}_delta`, ...said })];
  }

  #endThinking(signature: JsonValue | undefined): WireEvent[] {
    const opened =
      this.#open?.kind === "thinking" ? [] : [...this.#close(), ...this.#openProse("thinking")];
    if (this.#open !== undefined && typeof signature === "string") this.#open.signature = signature;
    return [...opened, ...this.#close()];
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): WireEvent[] {
    const closed = this.#close();
    const isServer = part.isProviderExecuted === true;
    const id = givenId(part.providerData) ?? this.#context.newId(isServer ? "srvtoolu_" : "toolu_");
    const block = this.#newBlock("call", {
      type: isServer ? "server_tool_use" : "tool_use",
      id,
      name: part.name,
      input: {},
      caller: { type: "direct" },
    });
    this.#calls.set(part.index, block);
    return [...closed, ...this.#started(block)];
  }

  #addToCall(index: number, delta: string): WireEvent[] {
    const block = this.#calls.get(index);
    if (block === undefined) return [];
    block.said += delta;
    this.#spoken += delta.length;
    return [deltaOf(block, { type: "input_json_delta", partial_json: delta })];
  }

  #endCall(index: number, input: JsonValue | undefined): WireEvent[] {
    const parsed = input === undefined ? [] : this.#addToCall(index, JSON.stringify(input));
    const block = this.#calls.get(index);
    this.#calls.delete(index);
    return block === undefined ? [] : [...parsed, ...this.#stopped(block)];
  }

  /** Adds a complete block, such as the result of a vendor tool. */
  #addWhole(data: JsonValue): WireEvent[] {
    if (!isObject(data) || typeof data["type"] !== "string") {
      throw new Error("A native block of the Messages API must be an object with a type");
    }
    this.#context.ledger.remember(data);
    this.#spoken += estimateTokens(data) * 4;
    const index = this.#content.push(data) - 1;
    this.#binding = after(this.#binding, "assistant", data);
    return [
      event("content_block_start", { index, content_block: data }),
      event("content_block_stop", { index }),
    ];
  }

  #newBlock(kind: OpenBlock["kind"], head: JsonObject): OpenBlock {
    return { index: this.#content.push(head) - 1, kind, head, said: "" };
  }

  #started({ index, head }: OpenBlock): WireEvent[] {
    const started = event("content_block_start", { index, content_block: head });
    // The service sends a ping once the first block has started.
    return index === 0 ? [started, event("ping", {})] : [started];
  }

  #close(): WireEvent[] {
    const block = this.#open;
    this.#open = undefined;
    if (block === undefined) return [];
    if (block.kind !== "thinking") return this.#stopped(block);
    block.signature ??= this.#context.ledger.sign(block.said, this.#context.model, this.#binding);
    const { signature } = block;
    return [deltaOf(block, { type: "signature_delta", signature }), ...this.#stopped(block)];
  }

  #stopped(block: OpenBlock): WireEvent[] {
    const whole = toWhole(block);
    this.#content[block.index] = whole;
    this.#binding = after(this.#binding, "assistant", whole);
    return [event("content_block_stop", { index: block.index })];
  }

  #finish(reason: FinishReason): WireEvent[] {
    const closed = [
      ...this.#close(),
      ...[...this.#calls.values()].flatMap((call) => this.#stopped(call)),
    ];
    const stop_reason = this.#refusal === "" ? (stopReasons[reason] ?? reason) : "refusal";
    const stopped = stop_reason === "stop_sequence" ? this.#context.stopSequences[0] : undefined;
    this.#end = {
      stop_reason,
      stop_sequence: stopped ?? null,
      ...(stop_reason === "refusal" && {
        stop_details: { type: "refusal", category: null, explanation: this.#refusal || null },
      }),
    };
    if (stop_reason === "pause_turn") this.#context.ledger.rememberPaused(this.#content);
    return [
      ...closed,
      event("message_delta", { delta: this.#end, usage: this.#usageOf("end") }),
      event("message_stop", {}),
    ];
  }

  /** Counts from the script, else the estimate. */
  #usageOf(when: "start" | "end"): JsonObject {
    const { total, read, written } = this.#context.cache;
    const said = this.#usage;
    const { cacheReadTokens = read } = said;
    const kept = Object.values(written).reduce((sum, tokens) => sum + tokens, 0);
    const { cacheWriteTokens = kept } = said;
    const spoken = Math.ceil((this.#spoken + this.#thought) / 4);
    return {
      input_tokens: Math.max(0, (said.inputTokens ?? total) - cacheReadTokens - cacheWriteTokens),
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cacheReadTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: written["5m"] ?? 0,
        ephemeral_1h_input_tokens: written["1h"] ?? 0,
      },
      output_tokens: when === "start" ? 1 : (said.outputTokens ?? spoken),
      output_tokens_details: {
        thinking_tokens: said.reasoningTokens ?? Math.ceil(this.#thought / 4),
      },
      service_tier: "standard",
      inference_geo: "not_available",
    };
  }
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
  pause: "pause_turn",
};

function event(type: string, data: JsonObject): WireEvent {
  return { event: type, data: { type, ...data } };
}

function deltaOf({ index }: OpenBlock, delta: JsonObject): WireEvent {
  return event("content_block_delta", { index, delta });
}

function toWhole({ kind, head, said, signature }: OpenBlock): JsonObject {
  if (kind === "text") return { ...head, text: said };
  if (kind === "thinking") return { ...head, thinking: said, signature: signature ?? "" };
  return { ...head, input: parseInput(said) };
}

/** Truncated or invalid arguments cannot be represented in a JSON body. */
function parseInput(said: string): JsonValue {
  try {
    return said === "" ? {} : (JSON.parse(said) as JsonValue);
  } catch {
    // Truncated, or not JSON.
    return {};
  }
}

function givenId(data: JsonValue | undefined): string | undefined {
  const id = isObject(data) ? data["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Writes a reply as the Responses API streams it, and as a complete body. */
import type { FinishReason, JsonValue, ProviderPart, Usage } from "@capstan/kernel";
import type { ReplyWriter, WireEvent } from "../emulation.ts";
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusal.ts";
import { estimateTokens } from "../token-estimate.ts";
import { errorOf } from "./errors.ts";
import type { ItemLedger } from "./item-ledger.ts";
import type { ResponseState } from "./response-object.ts";

export interface ReplyContext {
  readonly ledger: ItemLedger;
  /** Everything the model was shown. */
  readonly input: readonly JsonObject[];
  readonly isStored: boolean;
  /** True if the client asked for reasoning that it can send back itself. */
  readonly givesEncrypted: boolean;
  readonly showsSummary: boolean;
  readonly hasPhases: boolean;
  readonly usage: Usage;
  readonly countsCacheWrites: boolean;
  toResponse(state: ResponseState): JsonObject;
  newId(prefix: string): string;
  now(): number;
}

/** An item in progress. */
interface OpenItem {
  readonly outputIndex: number;
  readonly kind: "text" | "refusal" | "thinking" | "call";
  readonly id: string;
  readonly head: JsonObject;
  said: string;
  encrypted?: string;
}

export class ResponsesReply implements ReplyWriter {
  readonly #context: ReplyContext;
  readonly #id: string;
  readonly #createdAt: number;
  readonly #output: JsonObject[] = [];
  #open: OpenItem | undefined;
  readonly #calls = new Map<number, OpenItem>();
  #sequence = 0;
  #hasBegun = false;
  #phase: JsonValue | undefined;
  /** In characters. */
  #spoken = 0;
  #thought = 0;
  #usage: Usage = {};
  #end: JsonObject = {};

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#id = context.newId("resp_");
    this.#createdAt = Math.floor(context.now() / 1000);
  }

  take(part: ProviderPart): WireEvent[] {
    if (part.type === "usage" || part.type === "finish") {
      this.#usage = { ...this.#usage, ...part.usage };
    }
    return [...this.#begin(), ...this.#takePart(part)];
  }

  fail(refusal: Refusal): WireEvent[] {
    const { code, message } = refusal;
    const error = { code: code ?? "server_error", message };
    const response = this.#response({ status: "failed", error });
    return [
      this.#event("error", { error: errorOf(refusal) }),
      this.#event("response.failed", { response }),
    ];
  }

  body(): JsonValue {
    return this.#end;
  }

  #begin(): WireEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const response = this.#response({ status: "in_progress" });
    return [
      this.#event("response.created", { response }),
      this.#event("response.in_progress", { response }),
    ];
  }

  #takePart(part: ProviderPart): WireEvent[] {
    switch (part.type) {
      case "start":
      case "usage":
        return [];
      // There is no event for it.
      case "ping":
        return [{ comment: "ping" }];
      case "text_start":
        this.#phase = isObject(part.providerData) ? part.providerData["phase"] : undefined;
        return [...this.#close(), ...this.#openMessage("text")];
      case "text_delta":
        return this.#say("text", part.delta);
      case "thinking_start":
        return [...this.#close(), ...this.#openReasoning()];
      case "thinking_delta":
        return this.#think(part.delta);
      case "thinking_end":
        return this.#endThinking(part.providerData);
      case "refusal_delta":
        return this.#say("refusal", part.delta);
      case "text_end":
      case "refusal_end":
        return this.#close();
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

  #openMessage(kind: "text" | "refusal"): WireEvent[] {
    const id = this.#context.newId("msg_");
    const phase = this.#phase ?? "final_answer";
    this.#phase = undefined;
    const head = {
      id,
      type: "message",
      status: "in_progress",
      content: [],
      ...(this.#context.hasPhases && { phase }),
      role: "assistant",
    };
    const open = this.#newItem(kind, id, head);
    this.#open = open;
    return [
      this.#added(open, head),
      this.#event("response.content_part.added", { ...positionOf(open), part: partOf(open) }),
    ];
  }

  #say(kind: "text" | "refusal", delta: string): WireEvent[] {
    const opened = this.#open?.kind === kind ? [] : [...this.#close(), ...this.#openMessage(kind)];
    const open = this.#open;
    if (open === undefined) return opened;
    open.said += delta;
    this.#spoken += delta.length;
    const type = kind === "text" ? "response.output_text.delta" : "response.refusal.delta";
    const more = kind === "text" && { logprobs: [] };
    return [...opened, this.#event(type, { ...positionOf(open), delta, ...more })];
  }

  #openReasoning(): WireEvent[] {
    const id = this.#context.newId("rs_");
    const { ledger, givesEncrypted } = this.#context;
    const head = {
      id,
      type: "reasoning",
      ...(givesEncrypted && { encrypted_content: ledger.encrypt(id, true) }),
      summary: [],
    };
    this.#open = this.#newItem("thinking", id, head);
    return [this.#added(this.#open, head)];
  }

  #think(delta: string): WireEvent[] {
    const opened =
      this.#open?.kind === "thinking" ? [] : [...this.#close(), ...this.#openReasoning()];
    const open = this.#open;
    this.#thought += delta.length;
    if (open === undefined || !this.#context.showsSummary || delta === "") return opened;
    const isFirst = open.said === "";
    open.said += delta;
    const position = summaryPositionOf(open);
    return [
      ...opened,
      ...(isFirst
        ? [
            this.#event("response.reasoning_summary_part.added", {
              ...position,
              part: summaryOf(""),
            }),
          ]
        : []),
      this.#event("response.reasoning_summary_text.delta", { ...position, delta }),
    ];
  }

  #endThinking(encrypted: JsonValue | undefined): WireEvent[] {
    const opened =
      this.#open?.kind === "thinking" ? [] : [...this.#close(), ...this.#openReasoning()];
    if (this.#open !== undefined && typeof encrypted === "string") this.#open.encrypted = encrypted;
    return [...opened, ...this.#close()];
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): WireEvent[] {
    const closed = this.#close();
    const isServer = part.isProviderExecuted === true;
    const id = this.#context.newId(isServer ? "mcp_" : "fc_");
    const given = isObject(part.providerData) ? part.providerData["id"] : undefined;
    const call_id = typeof given === "string" ? given : this.#context.newId("call_");
    const head = {
      id,
      type: isServer ? "mcp_call" : "function_call",
      status: "in_progress",
      arguments: "",
      ...(isServer ? { server_label: "emulated", output: null } : { call_id }),
      name: part.name,
    };
    const open = this.#newItem("call", id, head);
    this.#calls.set(part.index, open);
    return [...closed, this.#added(open, head)];
  }

  #addToCall(index: number, delta: string): WireEvent[] {
    const open = this.#calls.get(index);
    if (open === undefined) return [];
    open.said += delta;
    this.#spoken += delta.length;
    return [this.#event(`response.${argumentsOf(open)}.delta`, { ...itemOf(open), delta })];
  }

  #endCall(index: number, input: JsonValue | undefined): WireEvent[] {
    const parsed = input === undefined ? [] : this.#addToCall(index, JSON.stringify(input));
    const open = this.#calls.get(index);
    this.#calls.delete(index);
    if (open === undefined) return [];
    return [
      ...parsed,
      this.#event(`response.${argumentsOf(open)}.done`, { ...itemOf(open), arguments: open.said }),
      this.#done(open, { ...open.head, status: "completed", arguments: open.said }),
    ];
  }

  /** Adds a complete item, such as a search of the vendor. */
  #addWhole(data: JsonValue): WireEvent[] {
    if (!isObject(data) || typeof data["type"] !== "string") {
      throw new Error("A native item of the Responses API must be an object with a type");
    }
    this.#spoken += estimateTokens(data) * 4;
    const output_index = this.#output.push(data) - 1;
    return [
      this.#event("response.output_item.added", { output_index, item: data }),
      this.#event("response.output_item.done", { output_index, item: data }),
    ];
  }

  #close(status = "completed"): WireEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    return open.kind === "thinking" ? this.#closeReasoning(open) : this.#closeMessage(open, status);
  }

  #closeMessage(open: OpenItem, status: string): WireEvent[] {
    const isText = open.kind === "text";
    const done = isText
      ? this.#event("response.output_text.done", {
          ...positionOf(open),
          text: open.said,
          logprobs: [],
        })
      : this.#event("response.refusal.done", { ...positionOf(open), refusal: open.said });
    const part = partOf(open);
    return [
      done,
      this.#event("response.content_part.done", { ...positionOf(open), part }),
      this.#done(open, { ...open.head, status, content: [part] }),
    ];
  }

  #closeReasoning(open: OpenItem): WireEvent[] {
    const { ledger, givesEncrypted } = this.#context;
    const position = summaryPositionOf(open);
    const part = summaryOf(open.said);
    const encrypted_content = open.encrypted ?? ledger.encrypt(open.id);
    const item = {
      ...open.head,
      ...(givesEncrypted && { encrypted_content }),
      summary: open.said === "" ? [] : [part],
    };
    const shown =
      open.said === ""
        ? []
        : [
            this.#event("response.reasoning_summary_text.done", { ...position, text: open.said }),
            this.#event("response.reasoning_summary_part.done", { ...position, part }),
          ];
    return [...shown, this.#done(open, item)];
  }

  #finish(reason: FinishReason): WireEvent[] {
    const incompleteReason = incompleteReasons[reason];
    const isIncomplete = incompleteReason !== undefined;
    if (reason === "pause") throw new Error("The Responses API has no pause");
    const status = isIncomplete ? "incomplete" : "completed";
    const closed = [
      ...this.#close(status),
      ...[...this.#calls.values()].map((call) =>
        this.#done(call, { ...call.head, status: "incomplete", arguments: call.said }),
      ),
    ];
    const { ledger, input, isStored } = this.#context;
    ledger.record(this.#id, input, this.#output, isStored);
    this.#end = this.#response({ status, incompleteReason, usage: this.#usageOf() });
    return [...closed, this.#event(`response.${status}`, { response: this.#end })];
  }

  #newItem(kind: OpenItem["kind"], id: string, head: JsonObject): OpenItem {
    return { outputIndex: this.#output.push(head) - 1, kind, id, head, said: "" };
  }

  #added({ outputIndex }: OpenItem, item: JsonObject): WireEvent {
    return this.#event("response.output_item.added", { output_index: outputIndex, item });
  }

  #done({ outputIndex }: OpenItem, item: JsonObject): WireEvent {
    this.#output[outputIndex] = item;
    return this.#event("response.output_item.done", { output_index: outputIndex, item });
  }

  #event(type: string, data: JsonObject): WireEvent {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    return { event: type, data: { type, ...data, sequence_number } };
  }

  #response(state: Omit<ResponseState, "id" | "createdAt" | "output">): JsonObject {
    const output = state.status === "in_progress" ? [] : [...this.#output];
    return this.#context.toResponse({ id: this.#id, createdAt: this.#createdAt, output, ...state });
  }

  /** Counts from the script, else the estimate. */
  #usageOf(): JsonObject {
    const said = { ...this.#context.usage, ...this.#usage };
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = said;
    const { reasoningTokens = Math.ceil(this.#thought / 4) } = said;
    const { outputTokens = Math.ceil(this.#spoken / 4) + reasoningTokens } = said;
    return {
      input_tokens: inputTokens,
      input_tokens_details: {
        cached_tokens: cacheReadTokens,
        ...(this.#context.countsCacheWrites && { cache_write_tokens: cacheWriteTokens }),
      },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: inputTokens + outputTokens,
    };
  }
}

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

function itemOf({ id, outputIndex }: OpenItem): JsonObject {
  return { item_id: id, output_index: outputIndex };
}

function positionOf(open: OpenItem): JsonObject {
  return { ...itemOf(open), content_index: 0 };
}

function summaryPositionOf(open: OpenItem): JsonObject {
  return { ...itemOf(open), summary_index: 0 };
}

function partOf({ kind, said }: OpenItem): JsonObject {
  if (kind === "refusal") return { type: "refusal", refusal: said };
  return { type: "output_text", annotations: [], logprobs: [], text: said };
}

function summaryOf(text: string): JsonObject {
  return { type: "summary_text", text };
}

function argumentsOf({ head }: OpenItem): string {
  return asText(head["type"]) === "mcp_call" ? "mcp_call_arguments" : "function_call_arguments";
}

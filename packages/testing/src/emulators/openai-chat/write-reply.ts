/** Writes a reply as Chat Completions streams it, and as a complete body. */
import type { FinishReason, JsonValue, ProviderPart, Usage } from "@capstan/kernel";
import type { ReplyWriter, WireEvent } from "../emulation.ts";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusal.ts";
import type { Sealer } from "../sealer.ts";
import type { ChatDialect, ChatQuirks } from "./dialect.ts";
import { closeThinking, openThinking, thinkingDelta, wholeThinking } from "./reasoning-forms.ts";
import type { Thought } from "./reasoning-forms.ts";

export interface ChatReplyContext {
  readonly dialect: ChatDialect;
  readonly quirks: ChatQuirks;
  readonly model: string;
  /** Estimated usage. */
  readonly usage: Usage;
  /** True if the client wants usage in its stream. */
  readonly wantsUsage: boolean;
  readonly sealer: Sealer;
  readonly id: string;
  newCallId(): string;
  now(): number;
}

interface Call {
  readonly id: string;
  readonly name: string;
  said: string;
  isDone: boolean;
}

const finishReasons: Readonly<Record<string, string>> = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

export class ChatReply implements ReplyWriter {
  readonly #context: ChatReplyContext;
  readonly #created: number;
  /** By their index in the script, in start order. */
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: Thought[] = [];
  #isThinking = false;
  #text = "";
  #refusal = "";
  #extra: JsonObject = {};
  #hasBegun = false;
  #usage: Usage = {};
  #finish = "stop";

  constructor(context: ChatReplyContext) {
    this.#context = context;
    this.#created = Math.floor(context.now() / 1000);
  }

  take(part: ProviderPart): WireEvent[] {
    if (part.type === "usage" || part.type === "finish") {
      this.#usage = { ...this.#usage, ...part.usage };
    }
    return [...this.#begin(part), ...this.#takePart(part)];
  }

  fail(refusal: Refusal): WireEvent[] {
    const { dialect, quirks } = this.#context;
    const body = dialect.words.errorBody(refusal);
    if (quirks.errors === "data") return [{ data: body }];
    const said = isObject(body["error"]) ? body["error"] : body;
    if (quirks.errors === "event") {
      return [{ event: "error", data: { error: { ...said, status_code: refusal.status } } }];
    }
    const chunk = this.#chunkOf({ content: "" }, "error");
    return [{ data: { ...chunk, error: said } }];
  }

  body(): JsonValue {
    const { dialect, model, id } = this.#context;
    return {
      id,
      object: "chat.completion",
      created: this.#created,
      model,
      ...dialect.envelope,
      choices: [
        {
          index: 0,
          message: this.#message(),
          ...dialect.choice,
          finish_reason: this.#finish,
        },
      ],
      usage: this.#usageOf(),
    };
  }

  /** The first chunk has the role, and whether there is text. */
  #begin(first: ProviderPart): WireEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { dialect, quirks } = this.#context;
    const opening: readonly WireEvent[] = {
      nothing: [],
      comments: [{ comment: "OPENROUTER PROCESSING" }, { comment: "OPENROUTER PROCESSING" }],
      "empty-chunk": [{ data: { choices: [], created: 0, id: "", model: "", object: "" } }],
    }[quirks.opening];
    if (quirks.role !== "first") return [...opening];
    const content = first.type === "text_delta" ? "" : null;
    const fields = {
      ...(dialect.hasRefusals && { refusal: null }),
      ...openThinking(quirks.reasoning),
    };
    return [...opening, this.#chunk({ role: "assistant", content, ...fields })];
  }

  #takePart(part: ProviderPart): WireEvent[] {
    switch (part.type) {
      case "start":
      case "usage":
      case "text_start":
      case "text_end":
      case "refusal_end":
        return [];
      case "ping":
        return [{ comment: "keep-alive" }];
      case "text_delta":
        return [...this.#endThinking(), this.#say(part.delta)];
      case "refusal_delta":
        return [...this.#endThinking(), this.#refuse(part.delta)];
      case "thinking_start":
        return this.#endThinking();
      case "thinking_delta":
        return this.#think(part.delta);
      case "thinking_end":
        return this.#endThinking(part.providerData);
      case "toolcall_start":
        return [...this.#endThinking(), ...this.#startCall(part)];
      case "toolcall_delta":
        return this.#addToCall(part.index, part.delta);
      case "toolcall_end":
        return this.#endCall(part.index, part.input);
      case "native":
        return [...this.#endThinking(), this.#addFields(part.data)];
      case "finish":
        return [...this.#endThinking(), ...this.#end(part.reason)];
      default:
        return part satisfies never;
    }
  }

  #say(delta: string): WireEvent {
    this.#text += delta;
    const isText = this.#context.quirks.content === "text";
    return this.#chunk({ content: isText ? delta : [{ type: "text", text: delta }] });
  }

  /** Without a field for it, a refusal is ordinary text. */
  #refuse(delta: string): WireEvent {
    if (!this.#context.dialect.hasRefusals) return this.#say(delta);
    this.#refusal += delta;
    return this.#chunk({ refusal: delta });
  }

  #think(delta: string): WireEvent[] {
    if (!this.#isThinking) this.#thoughts.push({ text: "", signature: "" });
    this.#isThinking = true;
    const at = this.#thoughts.length - 1;
    const thought = this.#thoughts[at];
    if (thought !== undefined) thought.text += delta;
    const form = thinkingDelta(this.#context.quirks.reasoning, delta, at);
    return form === undefined ? [] : [this.#chunk(form)];
  }

  #endThinking(signature?: JsonValue): WireEvent[] {
    if (!this.#isThinking) return [];
    this.#isThinking = false;
    const at = this.#thoughts.length - 1;
    const thought = this.#thoughts[at];
    if (thought === undefined) return [];
    const { sealer, quirks } = this.#context;
    thought.signature = typeof signature === "string" ? signature : sealer.seal({ at });
    const form = closeThinking(quirks.reasoning, thought, at);
    return form === undefined ? [] : [this.#chunk(form)];
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): WireEvent[] {
    if (part.isProviderExecuted === true) {
      throw new Error("Chat Completions cannot express calls that the provider runs");
    }
    const given = isObject(part.providerData) ? part.providerData["id"] : undefined;
    const id = typeof given === "string" ? given : this.#context.newCallId();
    const call: Call = { id, name: part.name, said: "", isDone: false };
    this.#calls.set(part.index, call);
    return this.#context.quirks.hasWholeCalls ? [] : [this.#callChunk(call, "", true)];
  }

  #addToCall(index: number, delta: string): WireEvent[] {
    const call = this.#calls.get(index);
    if (call === undefined) return [];
    call.said += delta;
    const { hasWholeCalls, repeatsCalls } = this.#context.quirks;
    return hasWholeCalls ? [] : [this.#callChunk(call, delta, repeatsCalls)];
  }

  #endCall(index: number, input: JsonValue | undefined): WireEvent[] {
    const parsed = input === undefined ? [] : this.#addToCall(index, JSON.stringify(input));
    const call = this.#calls.get(index);
    if (call === undefined) return parsed;
    return [...parsed, ...this.#completeCall(call)];
  }

  /** Complete calls are sent here: even a truncated one. */
  #completeCall(call: Call): WireEvent[] {
    if (call.isDone) return [];
    call.isDone = true;
    return this.#context.quirks.hasWholeCalls ? [this.#callChunk(call, call.said, true)] : [];
  }

  #callChunk(call: Call, said: string, isNamed: boolean): WireEvent {
    const { callIndex } = this.#context.quirks;
    const at = [...this.#calls.values()].indexOf(call);
    // Without an index only the id identifies the call.
    const isNumbered = callIndex !== "missing";
    const piece = {
      ...(isNumbered && { index: callIndex === "from-one" ? at + 1 : at }),
      ...((isNamed || !isNumbered) && { id: call.id, type: "function" }),
      function: { ...(isNamed && { name: call.name }), arguments: said },
    };
    return this.#chunk({ tool_calls: [piece] });
  }

  /** Fields of some servers only, such as annotations and images. */
  #addFields(data: JsonValue): WireEvent {
    if (!isObject(data))
      throw new Error("A native part of Chat Completions must be an object of fields");
    this.#extra = { ...this.#extra, ...data };
    return this.#chunk(data);
  }

  #end(reason: FinishReason): WireEvent[] {
    if (reason === "pause") throw new Error("Chat Completions has no pause");
    this.#finish = finishReasons[reason] ?? reason;
    const { quirks, wantsUsage, dialect } = this.#context;
    const usage = { usage: this.#usageOf() };
    const isMissing = quirks.finishReason === "missing";
    const isRepeated = quirks.finishReason === "repeated";
    const last = this.#lastFields(usage);
    const ends: WireEvent[] = [...this.#calls.values()].flatMap((call) => this.#completeCall(call));
    if (!isMissing) ends.push(this.#chunk({}, this.#finish, isRepeated ? {} : last));
    if (isRepeated) ends.push(this.#chunk({ content: "" }, this.#finish, last));
    if (quirks.usage === "asked" ? wantsUsage : isMissing) {
      ends.push({ data: { ...this.#head(), ...dialect.envelope, choices: [], ...usage } });
    }
    if (quirks.hasDone) ends.push({ text: "data: [DONE]\n\n" });
    return ends;
  }

  /** Usage, if it comes with the finish reason. */
  #lastFields(usage: JsonObject): JsonObject {
    const { quirks, wantsUsage, id } = this.#context;
    if (quirks.usage === "x_groq") return { x_groq: { id, ...usage }, ...(wantsUsage && usage) };
    return quirks.usage === "last" ? usage : {};
  }

  #chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): WireEvent {
    return { data: this.#chunkOf(delta, finish, more) };
  }

  #chunkOf(delta: JsonObject, finish: string | null, more: JsonObject = {}): JsonObject {
    const { dialect, quirks, wantsUsage } = this.#context;
    const role = quirks.role === "every" && { role: "assistant" };
    return {
      ...this.#head(),
      ...dialect.envelope,
      choices: [
        { index: 0, delta: { ...role, ...delta }, ...dialect.choice, finish_reason: finish },
      ],
      ...(quirks.usage === "asked" && wantsUsage && { usage: null }),
      ...more,
    };
  }

  #head(): JsonObject {
    const { id, model } = this.#context;
    return { id, object: "chat.completion.chunk", created: this.#created, model };
  }

  #message(): JsonObject {
    const { dialect, quirks } = this.#context;
    const calls = [...this.#calls.values()].map(({ id, name, said }) => ({
      id,
      type: "function",
      function: { name, arguments: said },
    }));
    const { content, ...thinking } = wholeThinking(quirks.reasoning, this.#thoughts, this.#text);
    return {
      role: "assistant",
      content: content ?? (this.#text === "" ? null : this.#text),
      ...thinking,
      ...(dialect.hasRefusals && { refusal: this.#refusal === "" ? null : this.#refusal }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...this.#extra,
    };
  }

  /** Counts from the script, else the estimate. */
  #usageOf(): JsonObject {
    const said = { ...this.#context.usage, ...this.#usage };
    const thought = this.#thoughts.reduce((sum, { text }) => sum + text.length, 0);
    const called = [...this.#calls.values()].reduce((sum, call) => sum + call.said.length, 0);
    const spoken = this.#text.length + this.#refusal.length + called;
    const { inputTokens = 0, cacheReadTokens = 0 } = said;
    const { reasoningTokens = Math.ceil(thought / 4) } = said;
    const { outputTokens = Math.ceil(spoken / 4) + reasoningTokens } = said;
    return this.#context.dialect.toUsage({
      prompt: inputTokens,
      completion: outputTokens,
      cached: cacheReadTokens,
      reasoning: reasoningTokens,
    });
  }
}

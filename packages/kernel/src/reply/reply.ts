/** One assistant message under construction: provider parts in, events and content out. */
import type {
  AssistantPart,
  FinishReason,
  JsonValue,
  Origin,
  ToolCallPart,
  Usage,
} from "../contracts/conversation.ts";
import type { EventIds } from "../contracts/events.ts";
import type { ProviderPart } from "../contracts/provider.ts";
import { emptyList } from "../effects/draft.ts";
import { isTooDeep } from "../effects/depth.ts";
import { ProviderError, serializeError } from "../errors/errors.ts";
import { parseJson } from "../effects/json.ts";
import { CallDraft, ProseDraft } from "./reply-drafts.ts";
import type { EventSink } from "./held-events.ts";
import type { TurnState } from "../turn/turn-state.ts";
import { replaceUsage } from "../effects/usage.ts";

/** Size of a part besides its text, so that a reply of empty parts is bounded too. */
const charsOfPart = 64;

type DraftPart = ProseDraft | CallDraft | { readonly type: "native"; readonly data: JsonValue };

export class Reply {
  readonly #turn: TurnState;
  readonly #events: EventSink;
  readonly #messageId: string;
  readonly #ids: EventIds;
  readonly #maxChars: number;
  readonly #maxCalls: number;
  readonly #drafts: DraftPart[] = emptyList();
  #calls = 0;
  /** The call that the next delta most likely belongs to. */
  #lastCall: CallDraft | undefined;
  /** Other calls that have begun and not ended, by index. Created on first use: most models send one call after the other. */
  #otherCalls: Map<number, CallDraft> | undefined;
  #open: ProseDraft | undefined;
  /** Characters of the content so far, plus a constant for each part. */
  size = 0;
  usage: Usage | undefined;
  origin: Origin | undefined;
  metadata: JsonValue | undefined;
  finishReason: FinishReason | undefined;

  /** Shows its events to the sink: the turn itself, unless a guard holds them back. */
  constructor(turn: TurnState, messageId: string, events: EventSink = turn) {
    this.#turn = turn;
    this.#events = events;
    this.#messageId = messageId;
    this.#ids = turn.ids;
    const { limits } = turn;
    this.#maxChars = limits.replyChars ?? Infinity;
    this.#maxCalls = limits.replyCalls ?? Infinity;
  }

  /** True if any content of the message has arrived. */
  get hasContent(): boolean {
    return this.#drafts.length > 0;
  }

  /** Text so far. */
  get text(): string {
    return this.#drafts.map(saidIn).join("");
  }

  /** Applies the next part. Throws a `ProviderError` if the part is invalid in this position. */
  apply(part: ProviderPart): void {
    switch (part.type) {
      case "text_delta":
        return this.#addProse("text", "text_delta", part.delta);
      case "thinking_delta":
        return this.#addProse("thinking", "thinking_delta", part.delta);
      case "refusal_delta":
        return this.#addProse("refusal", "text_delta", part.delta);
      case "toolcall_delta": {
        const { index, delta } = part;
        if (typeof delta !== "string") throw this.#noText(part.type);
        this.#grow(delta.length);
        this.#call(part.type, index).json.append(delta);
        this.#events.emit({ ...this.#ids, type: "toolcall_delta", index, delta });
        return;
      }
      case "toolcall_start":
        return this.#startCall(part);
      case "toolcall_end":
        return this.#endCall(part);
      case "text_start":
        return this.#startProse("text", this.#data(part.type, part.providerData));
      case "text_end":
        return this.#endProse("text", this.#data(part.type, part.providerData));
      case "thinking_start":
        return this.#startProse("thinking", this.#data(part.type, part.providerData));
      case "thinking_end":
        return this.#endProse("thinking", this.#data(part.type, part.providerData));
      case "refusal_end":
        return this.#endProse("refusal", this.#data(part.type, part.providerData));
      case "native": {
        const data = this.#data(part.type, part.data) ?? null;
        this.#closeProse();
        this.#grow(charsOfPart);
        this.#drafts.push({ type: "native", data });
        return;
      }
      case "usage":
        this.usage = replaceUsage(this.usage, part.usage);
        return;
      case "start":
        this.origin = this.#origin(part.origin) ?? this.origin;
        this.metadata = this.#data(part.type, part.metadata) ?? this.metadata;
        return;
      case "finish":
        return this.#finish(part);
      case "ping":
        return;
      default:
        // A part type that a newer provider sends and this kernel does not know.
        return this.#passOver(part satisfies never);
    }
  }

  #passOver(part: { readonly type: unknown }): void {
    if (typeof part.type !== "string") throw this.#fault("sent a part without a type");
  }

  #finish({ reason, usage, metadata }: Extract<ProviderPart, { type: "finish" }>): void {
    if (typeof reason !== "string") throw this.#fault("sent a finish part without a reason");
    const data = this.#data("finish", metadata);
    if (usage !== undefined) this.usage = replaceUsage(this.usage, usage);
    this.#closeProse();
    this.metadata = data ?? this.metadata;
    this.finishReason = reason;
  }

  /** Copies provider data, which is recorded with the message. */
  #data(type: string, sent: JsonValue | undefined): JsonValue | undefined {
    if (sent === undefined) return undefined;
    let text: string | undefined;
    let data: JsonValue | undefined;
    try {
      text = JSON.stringify(sent);
      data = text === undefined ? undefined : parseJson(text);
    } catch (thrown) {
      const why = serializeError(thrown).message;
      throw this.#fault(
        `sent a ${type} part whose data cannot be serialized as JSON: ${why}`,
        thrown,
      );
    }
    this.#grow(text?.length ?? 0);
    return data;
  }

  #grow(chars: number): void {
    this.size += chars;
    if (this.size <= this.#maxChars) return;
    this.#drop();
    throw this.#fault(
      `sent more than ${this.#maxChars} characters in one reply, which was dropped: to allow longer replies, raise limits.replyChars`,
    );
  }

  /** Keeps nothing of a reply that exceeds a limit. */
  #drop(): void {
    this.#drafts.length = 0;
    this.#open = undefined;
    this.#lastCall = undefined;
    this.#otherCalls = undefined;
  }

  #origin(sent: Origin | undefined): Origin | undefined {
    if (sent === undefined) return undefined;
    const { provider, api, model, host } = sent;
    const isUsable = typeof provider === "string" && isText(api) && isText(model) && isText(host);
    if (!isUsable) throw this.#fault("sent an origin whose fields are not strings");
    return {
      provider,
      ...(api !== undefined && { api }),
      ...(model !== undefined && { model }),
      ...(host !== undefined && { host }),
    };
  }

  /** Content of a finished message. A call with incomplete arguments is kept, as malformed. */
  content(): readonly AssistantPart[] {
    const content = this.#drafts.map((draft) =>
      draft.type === "tool_call" ? (draft.part ?? this.#cutCall(draft)) : toPart(draft),
    );
    return content.every(isWorthKeeping) ? content : content.filter(isWorthKeeping);
  }

  /** Content that a partial message may keep: no incomplete calls and no thinking without its signature. */
  partialContent(keepsCalls: boolean): AssistantPart[] {
    this.#closeProse();
    return this.#drafts
      .map((draft) =>
        draft.type === "tool_call" ? (keepsCalls ? draft.part : undefined) : toPart(draft),
      )
      .filter((part) => part !== undefined)
      .filter((part) => part.type !== "thinking" || part.providerData !== undefined)
      .filter(isWorthKeeping);
  }

  #addProse(kind: ProseDraft["type"], type: "text_delta" | "thinking_delta", delta: string): void {
    if (typeof delta !== "string") throw this.#noText(type);
    this.#grow(delta.length);
    const open = this.#open;
    const prose = open?.type === kind ? open : this.#openProse(kind, undefined);
    prose.text.append(delta);
    this.#events.emit({ ...this.#ids, type, delta });
  }

  #startProse(type: "text" | "thinking", providerData: JsonValue | undefined): void {
    this.#openProse(type, providerData);
  }

  #openProse(type: ProseDraft["type"], providerData: JsonValue | undefined): ProseDraft {
    this.#closeProse();
    this.#grow(charsOfPart);
    const prose = new ProseDraft(type, providerData);
    this.#open = prose;
    this.#drafts.push(prose);
    this.#events.emit({
      ...this.#ids,
      type: type === "thinking" ? "thinking_start" : "text_start",
    });
    return prose;
  }

  #endProse(type: ProseDraft["type"], providerData: JsonValue | undefined): void {
    const open = this.#open;
    // A vendor may send only a signature: an end without a start is an empty part.
    const prose = open?.type === type ? open : this.#openProse(type, undefined);
    if (providerData !== undefined) prose.providerData = providerData;
    this.#closeProse();
  }

  #closeProse(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const text = open.text.toString();
    if (open.type === "thinking") {
      this.#events.emit({ ...this.#ids, type: "thinking_end", thinking: text });
    } else {
      this.#events.emit({ ...this.#ids, type: "text_end", text });
    }
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): void {
    const { index, name, isProviderExecuted } = part;
    if (typeof name !== "string" || name === "") {
      throw this.#fault("began a tool call without a name");
    }
    if (!Number.isInteger(index)) throw this.#fault(`began a call of "${name}" without an index`);
    const providerData = this.#data(part.type, part.providerData);
    this.#closeProse();
    this.#grow(charsOfPart + name.length);
    if (++this.#calls > this.#maxCalls) {
      this.#drop();
      throw this.#fault(
        `made more than ${this.#maxCalls} tool calls in one reply, which was dropped: to allow more calls, raise limits.replyCalls`,
      );
    }
    if (this.#openCall(index) !== undefined) {
      throw this.#fault(`began tool call ${index} twice: send its toolcall_end first`);
    }
    const id = this.#turn.newCallId(this.#messageId, this.#drafts.length);
    const call = new CallDraft({
      id,
      index,
      name,
      isProviderExecuted: isProviderExecuted === true,
      providerData,
    });
    this.#keepLastCall();
    this.#lastCall = call;
    this.#drafts.push(call);
    this.#events.emit({ ...this.#ids, type: "toolcall_start", index, id, name });
  }

  #endCall(part: Extract<ProviderPart, { type: "toolcall_end" }>): void {
    const { type, index, input } = part;
    const call = this.#call(type, index);
    const providerData = this.#data(type, part.providerData);
    if (providerData !== undefined) call.providerData = providerData;
    const isUsable = input !== undefined && !isTooDeep(input);
    this.#otherCalls?.delete(index);
    this.#showCall(call, call.complete(isUsable ? this.#data(type, input) : input));
  }

  #cutCall(call: CallDraft): ToolCallPart {
    return this.#showCall(call, call.cut());
  }

  #showCall(call: CallDraft, toolCall: ToolCallPart): ToolCallPart {
    this.#events.emit({ ...this.#ids, type: "toolcall_end", index: call.index, toolCall });
    return toolCall;
  }

  #call(type: string, index: number): CallDraft {
    const call = this.#openCall(index);
    if (call !== undefined) return call;
    throw this.#fault(
      `sent ${type} for tool call ${index}, which is not open: send its toolcall_start first`,
    );
  }

  #openCall(index: number): CallDraft | undefined {
    const last = this.#lastCall;
    return last?.index === index && last.part === undefined ? last : this.#otherCalls?.get(index);
  }

  /** Keeps the last call if it is still open when another one begins. */
  #keepLastCall(): void {
    const last = this.#lastCall;
    if (last === undefined || last.part !== undefined) return;
    (this.#otherCalls ??= new Map()).set(last.index, last);
  }

  #noText(type: string): ProviderError {
    return this.#fault(`sent a ${type} whose delta is not a string`);
  }

  #fault(problem: string, cause?: unknown): ProviderError {
    const { id } = this.#turn.target.provider;
    return new ProviderError("protocol", `The provider "${id}" ${problem}`, { cause });
  }
}

/** Text that a reader is shown as the answer. */
function saidIn(draft: DraftPart): string {
  return draft.type === "text" || draft.type === "refusal" ? draft.text.toString() : "";
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function toPart(draft: Exclude<DraftPart, CallDraft>): AssistantPart {
  return draft.type === "native" ? draft : draft.toPart();
}

/** An empty text has no content and some providers refuse it; with provider data it must still be sent back. */
function isWorthKeeping(part: AssistantPart): boolean {
  if (part.type === "text" || part.type === "refusal")
    return part.text !== "" || part.providerData !== undefined;
  if (part.type === "thinking") return part.thinking !== "" || part.providerData !== undefined;
  return true;
}

/** One assistant message in the making: provider parts in, events and content out. */
import type {
  AssistantPart,
  FinishReason,
  JsonValue,
  Origin,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  Usage,
} from "./contracts/conversation.ts";
import type { ProviderPart } from "./contracts/provider.ts";
import type { Draft } from "./draft.ts";
import { ProviderError } from "./errors.ts";
import { TextBuffer } from "./text-buffer.ts";
import type { TurnState } from "./turn-state.ts";
import { replaceUsage } from "./usage.ts";

/** A text, thinking or refusal part under way. */
interface Prose {
  readonly type: "text" | "thinking" | "refusal";
  readonly text: TextBuffer;
  providerData: JsonValue | undefined;
}

/** A tool call under way; `part` is there once its arguments are whole. */
interface Call {
  readonly type: "tool_call";
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly isProviderExecuted: boolean;
  readonly json: TextBuffer;
  providerData: JsonValue | undefined;
  part: ToolCallPart | undefined;
}

type DraftPart = Prose | Call | { readonly type: "native"; readonly data: JsonValue };

export class Reply {
  readonly #turn: TurnState;
  readonly #messageId: string;
  readonly #conversationId: string;
  readonly #turnId: string;
  readonly #drafts: DraftPart[] = [];
  /** The call that the next delta most likely belongs to. */
  #lastCall: Call | undefined;
  #open: Prose | undefined;
  usage: Usage | undefined;
  origin: Origin | undefined;
  metadata: JsonValue | undefined;
  finishReason: FinishReason | undefined;

  constructor(turn: TurnState, messageId: string) {
    this.#turn = turn;
    this.#messageId = messageId;
    this.#conversationId = turn.conversationId;
    this.#turnId = turn.turnId;
  }

  /** Whether anything of the message has come. */
  get hasContent(): boolean {
    return this.#drafts.length > 0;
  }

  /** Takes the next part. Throws a `ProviderError` for one that cannot stand where it stands. */
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
        this.#call(part.type, index).json.append(delta);
        this.#turn.emit({
          type: "toolcall_delta",
          conversationId: this.#conversationId,
          turnId: this.#turnId,
          index,
          delta,
        });
        return;
      }
      case "toolcall_start":
        return this.#startCall(part);
      case "toolcall_end":
        return this.#endCall(part);
      case "text_start":
        return this.#startProse("text", part.providerData);
      case "text_end":
        return this.#endProse("text", part.providerData);
      case "thinking_start":
        return this.#startProse("thinking", part.providerData);
      case "thinking_end":
        return this.#endProse("thinking", part.providerData);
      case "native":
        this.#closeProse();
        this.#drafts.push({ type: "native", data: part.data });
        return;
      case "usage":
        this.usage = replaceUsage(this.usage, part.usage);
        return;
      case "start":
        this.origin = part.origin ?? this.origin;
        this.metadata = part.metadata ?? this.metadata;
        return;
      case "finish":
        this.#closeProse();
        this.finishReason = part.reason;
        if (part.usage !== undefined) this.usage = replaceUsage(this.usage, part.usage);
        this.metadata = part.metadata ?? this.metadata;
        return;
      case "ping":
        return;
      default:
        // A part that a newer provider knows and this kernel does not.
        return part satisfies never;
    }
  }

  /** The content of a finished message. A call whose arguments never ended is kept, as malformed. */
  content(): readonly AssistantPart[] {
    const content = this.#drafts.map((draft) =>
      draft.type === "tool_call" ? (draft.part ?? this.#cutCall(draft)) : toPart(draft),
    );
    return content.every(isWorthKeeping) ? content : content.filter(isWorthKeeping);
  }

  /** What a message that broke off may keep: no half calls and no thinking that lacks its signature. */
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

  #addProse(kind: Prose["type"], type: "text_delta" | "thinking_delta", delta: string): void {
    const open = this.#open;
    const prose = open?.type === kind ? open : this.#openProse(kind, undefined);
    prose.text.append(delta);
    const conversationId = this.#conversationId;
    const turnId = this.#turnId;
    this.#turn.emit({ type, conversationId, turnId, delta });
  }

  #startProse(type: "text" | "thinking", providerData: JsonValue | undefined): void {
    this.#openProse(type, providerData);
  }

  #openProse(type: Prose["type"], providerData: JsonValue | undefined): Prose {
    this.#closeProse();
    const prose: Prose = { type, text: new TextBuffer(), providerData };
    this.#open = prose;
    this.#drafts.push(prose);
    this.#turn.emit({
      type: type === "thinking" ? "thinking_start" : "text_start",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
    });
    return prose;
  }

  #endProse(type: "text" | "thinking", providerData: JsonValue | undefined): void {
    const open = this.#open;
    // A vendor may send a signature alone: an end that nothing began is an empty part of its own.
    const prose = open?.type === type ? open : this.#openProse(type, undefined);
    if (providerData !== undefined) prose.providerData = providerData;
    this.#closeProse();
  }

  #closeProse(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const conversationId = this.#conversationId;
    const turnId = this.#turnId;
    if (open.type === "thinking") {
      this.#turn.emit({
        type: "thinking_end",
        conversationId,
        turnId,
        thinking: open.text.toString(),
      });
    } else {
      this.#turn.emit({ type: "text_end", conversationId, turnId, text: open.text.toString() });
    }
  }

  #startCall(part: Extract<ProviderPart, { type: "toolcall_start" }>): void {
    this.#closeProse();
    const { index, name } = part;
    if (this.#findOpen(index) !== undefined) {
      throw new ProviderError("protocol", `The stream began tool call ${index} twice`);
    }
    const id = this.#turn.newCallId(this.#messageId, this.#drafts.length);
    const call: Call = {
      type: "tool_call",
      index,
      id,
      name,
      isProviderExecuted: part.isProviderExecuted === true,
      json: new TextBuffer(),
      providerData: part.providerData,
      part: undefined,
    };
    this.#lastCall = call;
    this.#drafts.push(call);
    this.#turn.emit({
      type: "toolcall_start",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      index,
      id,
      name,
    });
  }

  #endCall(part: Extract<ProviderPart, { type: "toolcall_end" }>): void {
    const call = this.#call(part.type, part.index);
    if (part.providerData !== undefined) call.providerData = part.providerData;
    this.#closeCall(call, wholeCall(call, part.input));
  }

  #cutCall(call: Call): ToolCallPart {
    return this.#closeCall(call, callPart(call, {}, call.json.toString()));
  }

  #closeCall(call: Call, toolCall: ToolCallPart): ToolCallPart {
    call.part = toolCall;
    this.#turn.emit({
      type: "toolcall_end",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      index: call.index,
      toolCall,
    });
    return toolCall;
  }

  #call(type: string, index: number): Call {
    const last = this.#lastCall;
    if (last?.index === index && last.part === undefined) return last;
    const call = this.#findOpen(index);
    if (call !== undefined) return call;
    throw new ProviderError(
      "protocol",
      `The stream sent ${type} for tool call ${index}, which is not open`,
    );
  }

  #findOpen(index: number): Call | undefined {
    return this.#drafts.find(
      (draft): draft is Call =>
        draft.type === "tool_call" && draft.index === index && draft.part === undefined,
    );
  }
}

function toPart(draft: Exclude<DraftPart, Call>): AssistantPart {
  switch (draft.type) {
    case "native":
      return draft;
    case "thinking": {
      const part: Draft<ThinkingPart> = { type: "thinking", thinking: draft.text.toString() };
      if (draft.providerData !== undefined) part.providerData = draft.providerData;
      return part;
    }
    default: {
      const part: Draft<TextPart | RefusalPart> = { type: draft.type, text: draft.text.toString() };
      if (draft.providerData !== undefined) part.providerData = draft.providerData;
      return part;
    }
  }
}

function wholeCall(call: Call, input: JsonValue | undefined): ToolCallPart {
  if (input !== undefined) return callPart(call, input, undefined);
  // Vendors send no text at all for a call without arguments.
  const json = call.json.toString();
  if (json === "") return callPart(call, {}, undefined);
  try {
    // JSON.parse gives nothing but JSON.
    return callPart(call, JSON.parse(json) as JsonValue, undefined);
  } catch {
    return callPart(call, {}, json);
  }
}

function callPart(call: Call, input: JsonValue, malformedInput: string | undefined): ToolCallPart {
  const part: Draft<ToolCallPart> = { type: "tool_call", id: call.id, name: call.name, input };
  if (malformedInput !== undefined) part.malformedInput = malformedInput;
  if (call.isProviderExecuted) part.isProviderExecuted = true;
  if (call.providerData !== undefined) part.providerData = call.providerData;
  return part;
}

/** An empty text says nothing and some providers refuse it; with provider data it has to go back all the same. */
function isWorthKeeping(part: AssistantPart): boolean {
  if (part.type === "text" || part.type === "refusal")
    return part.text !== "" || part.providerData !== undefined;
  if (part.type === "thinking") return part.thinking !== "" || part.providerData !== undefined;
  return true;
}

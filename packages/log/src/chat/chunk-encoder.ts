/** Turns the events of a session into chunks for a page, one assistant message for each input of the user. */
import type {
  ChatMessage,
  JsonValue,
  PendingCall,
  ToolCallPart,
  ToolContent,
  UserMessage,
} from "@capstan/kernel";
import type { SessionEvent } from "../events/session-event.ts";
import { approvalTool, questionTool, toApprovalId } from "./approval-id.ts";
import type {
  ChatProtocol,
  Chunk,
  ChunkFinishReason,
  MessageMetadata,
  SteeringPart,
} from "./chunks.ts";
import { replyIdOf } from "./message-ids.ts";
import type { PartTarget } from "./reply-parts.ts";
import { ReplyParts } from "./reply-parts.ts";

/** Options of `ChunkEncoder`. */
export interface EncoderOptions {
  readonly protocol: ChatProtocol;
  /** Id of the page's message that the reply is. */
  readonly messageId: string;
  /** Whether pages run this tool. */
  isClientTool(name: string): boolean;
  /** In milliseconds. */
  now(): number;
}

/** A page gets all that a tool has shown so far, again and again. */
const outputEveryMs = 250;
const maxOutputChars = 20_000;

interface ShownCall {
  readonly toolName: string;
  isAvailable: boolean;
  output: string;
  shownAt: number;
}

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>;

/** Takes events in order, live ones or those of a log: a message without deltas is shown whole. */
export class ChunkEncoder implements PartTarget {
  readonly #options: EncoderOptions;
  readonly #calls = new Map<string, ShownCall>();
  /** Pending calls of child sessions that were shown, and the calls that the children work on. */
  readonly #nested = new Map<string, string>();
  readonly #steered = new Set<string>();
  #reply: ReplyParts | undefined;
  #isInStep = false;
  #chunks: Chunk[] = [];

  constructor(options: EncoderOptions) {
    this.#options = options;
  }

  /** Names a call that the page has from an earlier stream of the same message. */
  know({ id, name }: Pick<ToolCallPart, "id" | "name">): void {
    this.#calls.set(id, { toolName: name, isAvailable: true, output: "", shownAt: -Infinity });
  }

  /** Likewise, for a call of a child session that was asked about. */
  knowPending({ toolCallId: id, toolName: name, via }: PendingCall): void {
    if (via === undefined) return;
    this.know({ id, name });
    this.#nested.set(id, via[0]?.toolCallId ?? "");
  }

  /** Returns the chunks of an event; often there are none. */
  take(event: SessionEvent): readonly Chunk[] {
    this.#encode(event);
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  push(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  startCall(toolCallId: string, toolName: string): void {
    if (this.#calls.has(toolCallId)) return;
    this.#calls.set(toolCallId, { toolName, isAvailable: false, output: "", shownAt: -Infinity });
    this.push({ type: "tool-input-start", ...this.#tool(toolCallId, toolName) });
  }

  #encode(event: SessionEvent): void {
    switch (event.type) {
      case "attempt_start":
        if (event.attempt === 1) this.#startStep();
        return;
      case "message_start":
        if (event.role === "assistant") this.#reply = new ReplyParts(event.messageId, this);
        return;
      case "text_delta":
        return this.#reply?.addProse("text", event.delta);
      case "thinking_delta":
        return this.#reply?.addProse("reasoning", event.delta);
      case "text_end":
      case "thinking_end":
        return this.#reply?.closeProse();
      case "toolcall_start":
        return this.#reply?.startCall(event.index, event.id, event.name);
      case "toolcall_delta":
        return this.#reply?.addInput(event.index, event.delta);
      case "message_end":
        return this.#onMessage(event.message);
      case "attempt_discarded":
        return this.#discard();
      case "snapshot":
        return this.#onSnapshot(event);
      case "tool_execution_delta":
        return this.#onOutput(event.toolCallId, event.delta);
      case "tool_execution_end":
        return this.#onResult(event);
      case "awaiting_tool_execution":
        for (const call of event.pending) {
          if (event.toolCallId !== undefined && isQuestion(call)) this.#onQuestion(call);
          else this.#onPending(call);
        }
        return;
      case "steering_delivered":
        for (const id of event.ids) this.#steered.add(id);
        return;
      case "error":
        this.push({ type: "error", errorText: event.error.message });
        return;
      case "turn_end":
        return this.#onEnd(event);
      default:
        return;
    }
  }

  #startStep(): void {
    this.#endStep();
    this.#isInStep = true;
    this.push({ type: "start-step" });
  }

  #endStep(): void {
    if (this.#isInStep) this.push({ type: "finish-step" });
    this.#isInStep = false;
  }

  #onMessage(message: ChatMessage): void {
    if (message.role === "user") return this.#onSteered(message);
    if (message.role !== "assistant") return;
    const reply = (this.#reply ??= new ReplyParts(message.id, this));
    this.#reply = undefined;
    reply.complete(message.content);
    // Only now: a page runs its tools as soon as their input is available, and an attempt may still be discarded before.
    for (const part of message.content) {
      if (part.type !== "tool_call") continue;
      this.#offer(part.id, part.name, part.input);
      // The vendor has run it, and its output is for the model alone.
      if (part.isProviderExecuted === true) {
        this.push({ type: "tool-output-available", toolCallId: part.id, output: null });
      }
    }
  }

  #offer(toolCallId: string, toolName: string, input: JsonValue): void {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || call.isAvailable) return;
    call.isAvailable = true;
    this.push({ type: "tool-input-available", ...this.#tool(toolCallId, toolName), input });
  }

  #discard(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply?.hasContent !== true) return;
    if (this.#options.protocol === 7) {
      for (const [id, { isAvailable }] of this.#calls) if (!isAvailable) this.#calls.delete(id);
      this.push({ type: "reset-step" });
      return;
    }
    // Older pages cannot take anything back.
    reply.closeProse();
    for (const [id, call] of this.#calls) {
      if (call.isAvailable) continue;
      call.isAvailable = true;
      const errorText = "The attempt was discarded";
      const tool = this.#tool(id, call.toolName);
      this.push({ type: "tool-input-error", ...tool, input: {}, errorText });
    }
  }

  #onSnapshot({ message, toolOutputs }: EventOf<"snapshot">): void {
    if (message !== undefined) {
      this.#reply ??= new ReplyParts(message.id, this);
      this.#reply.catchUp(message);
    }
    for (const { toolCallId, output } of toolOutputs) {
      const call = this.#calls.get(toolCallId);
      if (call === undefined) continue;
      call.output = "";
      call.shownAt = -Infinity;
      this.#onOutput(toolCallId, output);
    }
  }

  #onOutput(toolCallId: string, delta: string): void {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return;
    call.output = (call.output + delta).slice(-maxOutputChars);
    const now = this.#options.now();
    if (now - call.shownAt < outputEveryMs) return;
    call.shownAt = now;
    const { output } = call;
    this.push({ type: "tool-output-available", toolCallId, output, preliminary: true });
  }

  #onResult(event: EventOf<"tool_execution_end">): void {
    const { toolCallId, output, details, isError, isDenied } = event;
    if (!this.#calls.has(toolCallId)) return;
    this.#endNested(toolCallId);
    if (isDenied === true && this.#options.protocol > 5) {
      this.push({ type: "tool-output-denied", toolCallId });
    } else if (isError || isDenied === true) {
      // Version 5 has no state for a refusal.
      this.push({ type: "tool-output-error", toolCallId, errorText: textOf(output) });
    } else {
      this.push({ type: "tool-output-available", toolCallId, output: details ?? toJson(output) });
    }
  }

  /** The child session has ended. What became of its own calls is in its own log. */
  #endNested(parentCallId: string): void {
    for (const [toolCallId, parent] of this.#nested) {
      const { toolName = "" } = this.#calls.get(toolCallId) ?? {};
      if (parent !== parentCallId || this.#options.isClientTool(toolName)) continue;
      this.#nested.delete(toolCallId);
      this.push({ type: "tool-output-available", toolCallId, output: null });
    }
  }

  #onPending(call: PendingCall): void {
    const { toolCallId, toolName, input, reason, via } = call;
    // A call of a child session is in no message of this one, so the page does not know it yet. In a step of its own it is complete once it is
    // answered: the call that the child works on is not.
    if (via !== undefined && !this.#calls.has(toolCallId)) {
      if (this.#nested.size === 0) this.#startStep();
      this.startCall(toolCallId, toolName);
      this.#offer(toolCallId, toolName, input);
      this.#nested.set(toolCallId, via[0]?.toolCallId ?? "");
    }
    if (call.kind !== "approval") return;
    const approvalId = toApprovalId(call);
    if (this.#options.protocol === 5) {
      const asked = { toolCallId, toolName, input, ...(reason !== undefined && { reason }) };
      this.startCall(approvalId, approvalTool);
      return this.#offer(approvalId, approvalTool, asked);
    }
    const isTold = reason !== undefined && this.#options.protocol === 7;
    this.push({
      type: "tool-approval-request",
      approvalId,
      toolCallId,
      ...(isTold && { reason }),
    });
  }

  /** The page knows the suspended call as one of the server. Its question is a call that the page answers. */
  #onQuestion(call: PendingCall): void {
    const { toolCallId, toolName, input } = call;
    const id = toApprovalId(call);
    // A question that is asked once more in the same words has the same id.
    this.#calls.delete(id);
    this.startCall(id, questionTool);
    this.#offer(id, questionTool, { toolCallId, toolName, input });
  }

  #onSteered({ id, content }: UserMessage): void {
    const { protocol, messageId } = this.#options;
    // A message that settles pending calls is steered into their turn, and the page has it: this is its reply.
    if (!this.#steered.has(id) || protocol < 7 || replyIdOf(id) === messageId) return;
    this.push({ type: "steering-message", id, parts: steeringParts(content) });
  }

  #onEnd(event: EventOf<"turn_end">): void {
    this.#reply?.closeProse();
    this.#reply = undefined;
    const { finishReason, error } = event;
    if (error !== undefined) return this.push({ type: "error", errorText: error.message });
    this.#endStep();
    if (finishReason === "aborted") return this.push({ type: "abort" });
    const messageMetadata = metadataOf(event);
    // Version 5 refuses fields that it does not know.
    const reason =
      this.#options.protocol === 5 ? {} : { finishReason: toFinishReason(finishReason) };
    this.push({ type: "finish", ...reason, messageMetadata });
  }

  #tool(
    toolCallId: string,
    toolName: string,
  ): { toolCallId: string; toolName: string; providerExecuted?: true } {
    const isForPage = toolName === approvalTool || toolName === questionTool;
    const isOwn = !isForPage && !this.#options.isClientTool(toolName);
    return { toolCallId, toolName, ...(isOwn && { providerExecuted: true }) };
  }
}

/** A question in a child session is shown as a call of that. */
function isQuestion({ kind, via }: PendingCall): boolean {
  return kind === "execution" && via === undefined;
}

function metadataOf({ turnId, usage, cost }: EventOf<"turn_end">): MessageMetadata {
  return { turnId, usage: { ...usage }, ...(cost !== undefined && { cost }) };
}

const finishReasons: readonly ChunkFinishReason[] = [
  ...(["stop", "length", "content-filter", "tool-calls"] as const),
];

function toFinishReason(reason: string): ChunkFinishReason {
  return finishReasons.find((known) => known === reason) ?? "other";
}

function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

/** Text if it is nothing else. */
function toJson(content: ToolContent): JsonValue {
  if (typeof content === "string") return content;
  // Parts are JSON.
  return content.every(({ type }) => type === "text")
    ? textOf(content)
    : (content as unknown as JsonValue);
}

function steeringParts(content: UserMessage["content"]): SteeringPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { mediaType } = part;
    const url = "url" in part ? part.url : `data:${mediaType};base64,${part.data}`;
    return { type: "file", mediaType, url };
  });
}

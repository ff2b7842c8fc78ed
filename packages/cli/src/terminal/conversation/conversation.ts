/** Folds the events of a session into blocks. */
import type { ChatMessage, ChildStep, LiveMessage, LivePart } from "@capstan/kernel";
import type { ChangedCall, SessionEvent } from "@capstan/log";
import { ChildProgress } from "@capstan/log";
import type { Block, CallBlock } from "./blocks.ts";
import { assistantBlocks, blocksOf, partId, userBlock, withResult } from "./message-blocks.ts";

/** More output of a running call is not shown. */
const maxOutputChars = 64 * 1024;

/** Blocks are never changed: a new one replaces an old one, so that their lines can be cached. */
export class Conversation {
  #blocks: Block[];
  /** Indexes of the blocks, by id. */
  #indexes = new Map<string, number>();
  /** The reply that is being streamed. */
  #open: { readonly messageId: string; readonly ids: Set<string>; parts: number } | undefined;
  #noticeCount = 0;
  readonly #children = new ChildProgress();

  /** Starts after these messages, and the notices of another conversation. */
  constructor(messages: readonly ChatMessage[] = [], notices: readonly Block[] = []) {
    this.#blocks = [...notices, ...blocksOf(messages)];
    this.#noticeCount = notices.length;
    this.#reindex();
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Adds a line of the command itself. */
  note(text: string, tone: "info" | "error" = "info"): void {
    this.#noticeCount += 1;
    this.#put({ type: "notice", id: `notice:${this.#noticeCount}`, tone, text });
  }

  /** Shows a call of the user, not of the model. */
  showCall(call: CallBlock): void {
    this.#put(call);
  }

  /** Shows a child that was at work before the events. */
  startChild(parentId: string, child: ChildStep): void {
    this.#showChild(this.#children.start(parentId, child));
  }

  /** Takes an event of a session below this one. */
  applyChild(event: SessionEvent): void {
    this.#showChild(this.#children.apply(event));
  }

  #showChild(changed: ChangedCall | undefined): void {
    if (changed === undefined) return;
    const call = this.#find(changed.toolCallId);
    if (call !== undefined) this.#put({ ...call, child: changed.child });
  }

  apply(event: SessionEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.role === "assistant") this.#openReply(event.messageId);
        return;
      case "message_end":
        return this.#endMessage(event.message);
      case "text_start":
        return this.#startPart("reply");
      case "text_delta":
        return this.#extend("reply", event.delta);
      case "thinking_start":
        return this.#startPart("thinking");
      case "thinking_delta":
        return this.#extend("thinking", event.delta);
      case "text_end":
      case "thinking_end":
        return this.#closePart();
      case "toolcall_start":
        this.#countPart();
        this.#own(event.id);
        return this.#put(newCall(event.id, event.name, "writing"));
      case "toolcall_end": {
        const { id, name, input } = event.toolCall;
        return this.#put({ ...this.#call(id, name), input, state: "waiting" });
      }
      case "tool_execution_start": {
        const { toolCallId, toolName, input } = event;
        return this.#put({ ...this.#call(toolCallId, toolName), input, state: "running" });
      }
      case "tool_execution_delta": {
        const call = this.#call(event.toolCallId);
        return this.#put({
          ...call,
          state: "running",
          output: `${call.output}${event.delta}`.slice(-maxOutputChars),
        });
      }
      case "tool_execution_end": {
        const { toolCallId, toolName, output: content } = event;
        return this.#put(withResult(this.#call(toolCallId, toolName), { ...event, content }));
      }
      case "snapshot":
        if (event.message !== undefined) this.#showLive(event.message);
        for (const { toolCallId, output } of event.toolOutputs) {
          this.#put({ ...this.#call(toolCallId), state: "running", output });
        }
        return;
      case "attempt_discarded":
        this.#dropReply();
        return this.note(`${describeWait(event.delayMs)}: ${event.error.message}`);
      case "step_end":
        return this.#dropReply();
      case "turn_end":
        this.#dropReply();
        return this.#endTurn(event);
      case "compaction_end":
        return this.note(
          `context compacted: ${count(event.before)} → ${count(event.after)} tokens`,
        );
      case "compaction_failed":
        return this.note(
          event.reason === "nothing"
            ? "nothing to compact"
            : `context not compacted: ${event.error?.message ?? event.reason}`,
        );
      case "error":
        return this.note(event.error.message, "error");
      case "child_started":
        return this.applyChild(event);
      case "turn_start":
      case "step_start":
      case "attempt_start":
      case "toolcall_delta":
      case "awaiting_tool_execution":
      case "nested_call_start":
      case "nested_call_end":
      case "child_waiting":
      case "handed_off":
      case "child_ended":
      case "steering_delivered":
      case "steering_returned":
      case "compaction_start":
      case "context_evicted":
      // The messages that are left replace everything: the owner of this fold starts a new one.
      case "history_rewound":
      case "abort":
      case "settled":
        return;
      default:
        event satisfies never;
    }
  }

  #endMessage(message: ChatMessage): void {
    if (message.role === "user") {
      const block = userBlock(message);
      if (block !== undefined) this.#put(block);
    } else if (message.role === "assistant") {
      const final = assistantBlocks(message);
      const live = [...(this.#open?.ids ?? [])];
      // A reader that joined late has not seen all parts, and parts that are not shown count, too: the order is that of the message.
      if (final.length !== live.length || final.some(({ id }, index) => id !== live[index])) {
        this.#remove([...live, ...final.map(({ id }) => id)]);
      }
      for (const block of final) this.#put(block);
      this.#open = undefined;
    } else if (message.role === "tool") {
      this.#put(withResult(this.#call(message.toolCallId, message.toolName), message));
    }
  }

  #endTurn({ finishReason, error }: Extract<SessionEvent, { readonly type: "turn_end" }>): void {
    if (finishReason === "aborted") return this.note("interrupted");
    if (error !== undefined) return this.note(`the turn failed: ${error.message}`, "error");
    if (!["stop", "tool-calls"].includes(finishReason)) {
      this.note(`the turn ended early: ${finishReason}`);
    }
  }

  #openReply(messageId: string): void {
    this.#dropReply();
    this.#open = { messageId, ids: new Set(), parts: 0 };
  }

  /** An attempt without a message leaves nothing. */
  #dropReply(): void {
    this.#remove([...(this.#open?.ids ?? [])]);
    this.#open = undefined;
  }

  #startPart(type: "reply" | "thinking"): void {
    if (this.#open === undefined) return;
    const id = partId(this.#open.messageId, this.#countPart());
    this.#own(id);
    this.#put({ type, id, text: "", isOpen: true });
  }

  #countPart(): number {
    if (this.#open === undefined) return 0;
    this.#open.parts += 1;
    return this.#open.parts - 1;
  }

  #own(id: string): void {
    this.#open?.ids.add(id);
  }

  #extend(type: "reply" | "thinking", delta: string): void {
    if (this.#openPart()?.type !== type) this.#startPart(type);
    const part = this.#openPart();
    if (part !== undefined) this.#put({ ...part, text: part.text + delta });
  }

  #closePart(): void {
    const part = this.#openPart();
    if (part !== undefined) this.#put({ ...part, isOpen: false });
  }

  #openPart(): Extract<Block, { readonly isOpen: boolean }> | undefined {
    if (this.#open === undefined) return undefined;
    const index = this.#indexes.get(partId(this.#open.messageId, this.#open.parts - 1));
    const block = index === undefined ? undefined : this.#blocks[index];
    return block !== undefined && "isOpen" in block && block.isOpen ? block : undefined;
  }

  #showLive({ id, content }: LiveMessage): void {
    if (this.#open?.messageId !== id) this.#openReply(id);
    const open = this.#open;
    if (open === undefined) return;
    open.parts = content.length;
    content.forEach((part, index) => {
      const block = liveBlock(part, partId(id, index), index === content.length - 1);
      this.#own(block.id);
      this.#put(block);
    });
  }

  #find(id: string): CallBlock | undefined {
    const index = this.#indexes.get(id);
    const block = index === undefined ? undefined : this.#blocks[index];
    return block?.type === "call" ? block : undefined;
  }

  /** The call, or one that begins now: a reader that joins late has not seen it. */
  #call(id: string, toolName = ""): CallBlock {
    return this.#find(id) ?? newCall(id, toolName, "waiting");
  }

  /** Replaces the block with this id, or adds one. */
  #put(block: Block): void {
    const index = this.#indexes.get(block.id);
    if (index !== undefined) {
      this.#blocks[index] = block;
      return;
    }
    this.#indexes.set(block.id, this.#blocks.length);
    this.#blocks.push(block);
  }

  #remove(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#blocks = this.#blocks.filter(({ id }) => !ids.includes(id));
    this.#reindex();
  }

  #reindex(): void {
    this.#indexes = new Map(this.#blocks.map(({ id }, index) => [id, index]));
  }
}

function newCall(id: string, toolName: string, state: CallBlock["state"]): CallBlock {
  return { type: "call", id, toolName, state, output: "" };
}

function liveBlock(part: LivePart, id: string, isOpen: boolean): Block {
  switch (part.type) {
    case "text":
      return { type: "reply", id, text: part.text, isOpen };
    case "thinking":
      return { type: "thinking", id, text: part.thinking, isOpen };
    case "tool_call": {
      const { id: callId, name, input } = part;
      return input === undefined
        ? newCall(callId, name, "writing")
        : { ...newCall(callId, name, "waiting"), input };
    }
    default:
      return part satisfies never;
  }
}

function describeWait(delayMs: number): string {
  return delayMs < 1_000 ? "retrying" : `waiting ${Math.round(delayMs / 1_000)} s, then retrying`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

/** Live state of a turn for a reader: the open message and the tool outputs so far, folded from events. */
import type { JsonValue } from "../contracts/conversation.ts";
import type { AgentEventBody, LiveMessage, LivePart, LiveToolOutput } from "../contracts/events.ts";
import { TextBuffer } from "../reply/text-buffer.ts";

interface OpenProse {
  readonly type: "text" | "thinking";
  readonly text: TextBuffer;
}

interface OpenCall {
  readonly type: "tool_call";
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly text: TextBuffer;
  input: JsonValue | undefined;
}

type LiveEvent = Extract<
  AgentEventBody,
  { type: `text_${string}` | `thinking_${string}` | `toolcall_${string}` }
>;

/** Number of events that are buffered before they are folded: folding each event by itself would cost every reader of every turn. */
const foldAt = 512;

/** Apply every event once, in order. `snapshot` returns the state; nothing is kept of messages that ended. */
export class LiveView {
  #messageId: string | undefined;
  #parts: (OpenProse | OpenCall)[] = [];
  /** Created with the first call: most readers see none. */
  #calls: Map<number, OpenCall> | undefined;
  #prose: TextBuffer | undefined;
  #unfolded: LiveEvent[] = [];
  #unfoldedCount = 0;
  /** Most turns have no tool that shows output while it runs. */
  #tools: Map<string, TextBuffer> | undefined;

  apply(event: AgentEventBody): void {
    switch (event.type) {
      case "text_delta":
      case "text_start":
      case "text_end":
      case "thinking_delta":
      case "thinking_start":
      case "thinking_end":
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        this.#unfolded[this.#unfoldedCount++] = event;
        if (this.#unfoldedCount === foldAt) this.#fold();
        return;
      case "tool_execution_delta":
        this.#toolOutput(event.toolCallId).append(event.delta);
        return;
      case "tool_execution_end":
        this.#tools?.delete(event.toolCallId);
        return;
      case "message_start":
        return this.#openMessage(event.role === "assistant" ? event.messageId : undefined);
      case "message_end":
      case "attempt_discarded":
        return this.#openMessage(undefined);
      case "turn_end":
        this.#tools?.clear();
        return this.#openMessage(undefined);
      case "snapshot":
        return this.#restore(event.message, event.toolOutputs);
      default:
        // The other events carry no live content.
        return;
    }
  }

  /** True if a snapshot would be empty: no content of an open message, no output of a tool. */
  get isEmpty(): boolean {
    const hasContent = this.#parts.length > 0 || this.#unfoldedCount > 0;
    const hasOutput = this.#tools !== undefined && this.#tools.size > 0;
    return !hasOutput && (this.#messageId === undefined || !hasContent);
  }

  snapshot(): { readonly message?: LiveMessage; readonly toolOutputs: readonly LiveToolOutput[] } {
    this.#fold();
    const toolOutputs = Array.from(this.#tools ?? [], ([toolCallId, output]) => ({
      toolCallId,
      output: output.toString(),
    }));
    if (this.#messageId === undefined) return { toolOutputs };
    return { message: { id: this.#messageId, content: this.#parts.map(toPart) }, toolOutputs };
  }

  #openMessage(messageId: string | undefined): void {
    this.#messageId = messageId;
    this.#prose = undefined;
    if (this.#parts.length > 0) this.#parts = [];
    this.#calls = undefined;
    // Not kept for the next message: a turn that waits for a model should hold little memory.
    if (this.#unfolded.length > 0) this.#unfolded = [];
    this.#unfoldedCount = 0;
  }

  #fold(): void {
    for (let i = 0; i < this.#unfoldedCount; i++) this.#foldEvent(this.#unfolded[i] as LiveEvent);
    this.#unfoldedCount = 0;
  }

  #foldEvent(event: LiveEvent): void {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
        this.#prose?.append(event.delta);
        return;
      case "text_start":
      case "thinking_start":
        this.#prose = new TextBuffer();
        this.#parts.push({
          type: event.type === "text_start" ? "text" : "thinking",
          text: this.#prose,
        });
        return;
      case "text_end":
      case "thinking_end":
        this.#prose = undefined;
        return;
      case "toolcall_start": {
        const { index, id, name } = event;
        const text = new TextBuffer();
        this.#addCall({ type: "tool_call", index, id, name, text, input: undefined });
        return;
      }
      case "toolcall_delta":
        this.#call(event.index)?.text.append(event.delta);
        return;
      case "toolcall_end": {
        const call = this.#call(event.index);
        if (call !== undefined) call.input = event.toolCall.input;
        return;
      }
      default:
        return event satisfies never;
    }
  }

  #toolOutput(toolCallId: string): TextBuffer {
    const outputs = (this.#tools ??= new Map());
    let output = outputs.get(toolCallId);
    if (output === undefined) outputs.set(toolCallId, (output = new TextBuffer(0)));
    return output;
  }

  #addCall(call: OpenCall): void {
    this.#parts.push(call);
    // The newest one counts: an index may be reused within one message.
    (this.#calls ??= new Map()).set(call.index, call);
  }

  #call(index: number): OpenCall | undefined {
    return this.#calls?.get(index);
  }

  #restore(message: LiveMessage | undefined, toolOutputs: readonly LiveToolOutput[]): void {
    this.#openMessage(message?.id);
    for (const part of message?.content ?? []) this.#restorePart(part);
    this.#tools = new Map(
      toolOutputs.map(({ toolCallId, output }) => [toolCallId, bufferOf(output)]),
    );
  }

  #restorePart(part: LivePart): void {
    if (part.type === "tool_call") {
      const { inputText, input, ...call } = part;
      this.#addCall({ ...call, text: bufferOf(inputText), input });
    } else {
      this.#prose = bufferOf(part.type === "text" ? part.text : part.thinking);
      this.#parts.push({ type: part.type, text: this.#prose });
    }
  }
}

function bufferOf(text: string): TextBuffer {
  const buffer = new TextBuffer();
  buffer.append(text);
  return buffer;
}

function toPart(part: OpenProse | OpenCall): LivePart {
  const text = part.text.toString();
  if (part.type !== "tool_call") {
    return part.type === "text" ? { type: "text", text } : { type: "thinking", thinking: text };
  }
  const { type, index, id, name, input } = part;
  return { type, index, id, name, inputText: text, ...(input !== undefined && { input }) };
}

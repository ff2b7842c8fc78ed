/** Folds the deltas of one message, and compares them with its end. */
import type { AgentEventBody, AssistantMessage, ChatMessage, ToolCallPart } from "@capstan/kernel";
import { isSameJson } from "./event-problem.ts";
import type { EventProblems } from "./event-problem.ts";

type ProseKind = "text" | "thinking";
type ContentEvent = Extract<
  AgentEventBody,
  { readonly type: `${ProseKind | "toolcall"}_${"start" | "delta" | "end"}` }
>;
type ToolCallEvent = Extract<ContentEvent, { readonly index: number }>;

export class MessageUnderWay {
  readonly role: ChatMessage["role"];
  readonly messageId: string;
  readonly #problems: EventProblems;
  readonly #said: Record<ProseKind, string> = { text: "", thinking: "" };
  readonly #thoughts: string[] = [];
  #openProse: { readonly kind: ProseKind; said: string } | undefined;
  readonly #openCalls = new Map<number, { readonly id: string; readonly name: string }>();
  readonly #calls: ToolCallPart[] = [];

  constructor(role: ChatMessage["role"], messageId: string, problems: EventProblems) {
    this.role = role;
    this.messageId = messageId;
    this.#problems = problems;
  }

  get name(): string {
    return `${this.role} message ${this.messageId}`;
  }

  take(index: number, event: ContentEvent): void {
    switch (event.type) {
      case "text_start":
        return this.#startProse(index, event, "text");
      case "thinking_start":
        return this.#startProse(index, event, "thinking");
      case "text_delta":
        return this.#addProse(index, event, "text");
      case "thinking_delta":
        return this.#addProse(index, event, "thinking");
      case "text_end":
        return this.#endProse(index, event, "text", event.text);
      case "thinking_end":
        return this.#endProse(index, event, "thinking", event.thinking);
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        return this.#takeCall(index, event);
      default:
        return event satisfies never;
    }
  }

  end(index: number, event: Extract<AgentEventBody, { readonly type: "message_end" }>): void {
    if (event.message.role !== "assistant") return;
    if (this.#openProse !== undefined) {
      this.#problems.add(index, event, "part-order", `its ${this.#openProse.kind} has not ended`);
    }
    for (const text of this.#mismatches(event.message)) {
      this.#problems.add(index, event, "content-mismatch", text);
    }
  }

  /** The attempt left no message. Only a discarded attempt may take back text that was shown. */
  void(index: number, event: AgentEventBody): void {
    if (this.role !== "assistant") {
      this.#problems.add(index, event, "message-order", `${this.name} has not ended`);
    } else if (event.type !== "attempt_discarded" && this.#said.text !== "") {
      const text = `the attempt said ${JSON.stringify(this.#said.text)} and left no message`;
      this.#problems.add(index, event, "content-mismatch", text);
    }
  }

  #startProse(index: number, event: ContentEvent, kind: ProseKind): void {
    if (this.#openProse !== undefined) {
      this.#problems.add(index, event, "part-order", `${this.#openProse.kind} has not ended`);
    }
    this.#openProse = { kind, said: "" };
  }

  #addProse(
    index: number,
    event: ContentEvent & { readonly delta: string },
    kind: ProseKind,
  ): void {
    this.#said[kind] += event.delta;
    if (this.#openProse?.kind === kind) this.#openProse.said += event.delta;
    else this.#problems.add(index, event, "part-order", `no ${kind} has started`);
  }

  #endProse(index: number, event: ContentEvent, kind: ProseKind, whole: string): void {
    const open = this.#openProse;
    if (open?.kind !== kind) {
      this.#problems.add(index, event, "part-order", `no ${kind} has started`);
    } else if (open.said !== whole) {
      const text = `it says ${JSON.stringify(whole)}, its deltas ${JSON.stringify(open.said)}`;
      this.#problems.add(index, event, "content-mismatch", text);
    }
    this.#openProse = undefined;
    if (kind === "thinking") this.#thoughts.push(whole);
  }

  #takeCall(index: number, event: ToolCallEvent): void {
    const open = this.#openCalls.get(event.index);
    if (event.type === "toolcall_start") {
      const under = open !== undefined ? `call ${event.index}` : this.#openProse?.kind;
      if (under !== undefined) {
        this.#problems.add(index, event, "part-order", `${under} has not ended`);
      }
      this.#openCalls.set(event.index, { id: event.id, name: event.name });
      return;
    }
    if (open === undefined) {
      this.#problems.add(index, event, "part-order", `call ${event.index} has not started`);
    }
    if (event.type === "toolcall_delta") return;
    const { id, name } = event.toolCall;
    if (open !== undefined && (open.id !== id || open.name !== name)) {
      const text = `call ${event.index} started as ${open.name} (${open.id}) and ends as ${name} (${id})`;
      this.#problems.add(index, event, "content-mismatch", text);
    }
    this.#openCalls.delete(event.index);
    this.#calls.push(event.toolCall);
  }

  #mismatches(message: AssistantMessage): string[] {
    const isWhole = message.stopReason !== "aborted" && message.stopReason !== "error";
    const text = proseOf(message, "text");
    const thinking = proseOf(message, "thinking");
    const calls = message.content.filter((part) => part.type === "tool_call");
    const found: string[] = [];
    if (text !== this.#said.text) {
      found.push(
        `its text is ${JSON.stringify(text)}, its deltas said ${JSON.stringify(this.#said.text)}`,
      );
    }
    // A partial message loses its unsigned thinking and its calls, but gains none.
    if (isWhole ? thinking !== this.#said.thinking : !this.#haveThought(message)) {
      found.push(
        `its thinking is ${JSON.stringify(thinking)}, its deltas said ${JSON.stringify(this.#said.thinking)}`,
      );
    }
    for (const call of calls) {
      const shown = this.#calls.find(({ id }) => id === call.id);
      if (!isSameJson(shown, call)) found.push(`its call ${call.id} differs from its toolcall_end`);
    }
    if (isWhole && calls.length !== this.#calls.length) {
      found.push(`it has ${calls.length} calls, ${this.#calls.length} were shown`);
    }
    return found;
  }

  /** True if all thinking parts of a message were shown, in this order. */
  #haveThought(message: AssistantMessage): boolean {
    let next = 0;
    return message.content
      .filter((part) => part.type === "thinking")
      .every((part) => {
        next = this.#thoughts.indexOf(part.thinking, next) + 1;
        return next > 0;
      });
  }
}

/** Refusals are shown as text. */
function proseOf(message: AssistantMessage, kind: ProseKind): string {
  return message.content
    .map((part) => {
      if (part.type === "thinking") return kind === "thinking" ? part.thinking : "";
      return (part.type === "text" || part.type === "refusal") && kind === "text" ? part.text : "";
    })
    .join("");
}

/** Messages of a turn: its history, its new messages, and the context of the next request. */
import type { ChatMessage } from "../contracts/conversation.ts";
import type { LoopContext } from "../contracts/loop.ts";

const none: readonly ChatMessage[] = [];

export class Transcript {
  readonly #history: readonly ChatMessage[];
  readonly #input: readonly ChatMessage[];
  readonly #project: LoopContext["project"];
  readonly #leftOut: number;
  /** Set if `onOverflow` replaced the context; the messages from `from` on follow it. */
  #replacement: { readonly messages: readonly ChatMessage[]; readonly from: number } | undefined;
  /** New messages, as in the result. */
  readonly added: ChatMessage[] = [];

  /** Neither list is copied or changed. `leftOut`: number of messages at the beginning of the history without content. */
  constructor(
    history: readonly ChatMessage[],
    input: readonly ChatMessage[] = none,
    project?: LoopContext["project"],
    leftOut = 0,
  ) {
    this.#history = history;
    this.#input = input;
    this.#project = project;
    this.#leftOut = leftOut;
  }

  get length(): number {
    return this.#history.length + this.#input.length + this.added.length;
  }

  /** All messages that have content, as a new list. */
  all(): readonly ChatMessage[] {
    const history = this.#leftOut === 0 ? this.#history : this.#history.slice(this.#leftOut);
    return [...history, ...this.#input, ...this.added];
  }

  push(message: ChatMessage): void {
    this.added.push(message);
  }

  last(): ChatMessage | undefined {
    return this.added.at(-1) ?? this.#input.at(-1) ?? this.#history.at(-1);
  }

  /** Second to last message of the history that the turn was given. */
  beforeLastOfHistory(): ChatMessage | undefined {
    return this.#history.at(-2);
  }

  /** Whether such a message follows the user's last message. */
  hasSinceInput(isSought: (message: ChatMessage) => boolean): boolean {
    for (const list of [this.added, this.#input, this.#history]) {
      for (let index = list.length - 1; index >= 0; index--) {
        // In range.
        const message = list[index] as ChatMessage;
        if (isSought(message)) return true;
        if (message.role === "user" && message.source === undefined) return false;
      }
    }
    return false;
  }

  /**
   * Messages of the context after the last reply and its results, in order. A turn that begins with input of its own leaves out those that
   * earlier turns began with.
   */
  unanswered(): readonly ChatMessage[] {
    const context = this.context();
    const start = 1 + context.findLastIndex(({ role }) => role === "assistant" || role === "tool");
    const tail = context.slice(start);
    if (this.#input.length === 0) return tail;
    const own = new Set([...this.#input, ...this.added].map(({ id }) => id));
    return tail.filter(({ id }) => own.has(id));
  }

  /** Number of consecutive replies at the end that were only paused. */
  pausesAtEnd(): number {
    let count = 0;
    for (const list of [this.added, this.#input, this.#history]) {
      for (let index = list.length - 1; index >= 0; index--) {
        const message = list[index];
        if (message?.role !== "assistant" || message.stopReason !== "pause") return count;
        count++;
      }
    }
    return count;
  }

  /** Context of the next request, before it is transformed. */
  context(): readonly ChatMessage[] {
    const replacement = this.#replacement;
    if (replacement !== undefined) {
      return [...replacement.messages, ...this.added.slice(replacement.from)];
    }
    const { added } = this;
    const history = this.#history;
    const input = this.#input;
    return this.#project?.({ history, input, added }) ?? [...history, ...input, ...added];
  }

  /** Requests the context again, because it has changed. */
  renewContext(): void {
    this.#replacement = undefined;
  }

  /** Continues with another context. The transcript does not change. */
  replaceContext(messages: readonly ChatMessage[]): void {
    this.#replacement = { messages, from: this.added.length };
  }
}

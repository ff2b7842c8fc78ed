/** The messages of a turn: what it was given, what it has added, and what the next request is made from. */
import type { ChatMessage } from "../contracts/conversation.ts";
import type { LoopContext } from "../contracts/loop.ts";

const none: readonly ChatMessage[] = [];

export class Transcript {
  readonly #history: readonly ChatMessage[];
  readonly #input: readonly ChatMessage[];
  readonly #project: LoopContext["project"];
  /** Set when `onOverflow` gave another context; the messages from `from` on follow it. */
  #replacement: { readonly messages: readonly ChatMessage[]; readonly from: number } | undefined;
  /** The new messages, as the result has them. */
  readonly added: ChatMessage[] = [];

  /** Neither list is copied or changed. */
  constructor(
    history: readonly ChatMessage[],
    input: readonly ChatMessage[] = none,
    project?: LoopContext["project"],
  ) {
    this.#history = history;
    this.#input = input;
    this.#project = project;
  }

  get length(): number {
    return this.#history.length + this.#input.length + this.added.length;
  }

  push(message: ChatMessage): void {
    this.added.push(message);
  }

  last(): ChatMessage | undefined {
    return this.added.at(-1) ?? this.#input.at(-1) ?? this.#history.at(-1);
  }

  /** The last but one of the history that the turn was given. */
  beforeLastOfHistory(): ChatMessage | undefined {
    return this.#history.at(-2);
  }

  /** Whether there is such a message behind the last that a user sent. */
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

  /** How many replies in a row were only paused, up to the last message. */
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

  /** The context of the next request, before anybody transforms it. */
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

  /** What requests are made from is asked for again: it has changed. */
  renewContext(): void {
    this.#replacement = undefined;
  }

  /** Goes on with another context. The transcript stays as it is. */
  replaceContext(messages: readonly ChatMessage[]): void {
    this.#replacement = { messages, from: this.added.length };
  }
}

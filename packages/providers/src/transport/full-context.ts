/** Replies that the token limit ended before they said anything: the conversation fills the window, which some servers tell in no other way. */
import type { ProviderPart, Usage } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";

/** Servers count a few tokens that others do not. */
const fullShare = 0.98;

export class RoomCheck {
  readonly #provider: string;
  readonly #contextWindow: number | undefined;
  #usage: Usage = {};
  #hasSpoken = false;
  #hasThought = false;

  /** `contextWindow`: of the model, where it is known. */
  constructor(provider: string, contextWindow: number | undefined) {
    this.#provider = provider;
    this.#contextWindow = contextWindow;
  }

  /** Looks at the next parts of a reply. Throws a `ProviderError` in place of a finish that stands for an overflow. */
  take(parts: ProviderPart[]): void {
    if (this.#hasSpoken) return;
    for (const part of parts) this.#look(part);
    const last = parts.at(-1);
    if (last?.type !== "finish" || last.reason !== "length" || !this.#isFull()) return;
    parts.pop();
    if (last.usage !== undefined) parts.push({ type: "usage", usage: last.usage });
    throw new ProviderError(
      "context_overflow",
      `${this.#provider} ended its reply at the token limit before the first word: the conversation leaves no room for an answer`,
    );
  }

  #look(part: ProviderPart): void {
    switch (part.type) {
      case "text_delta":
      case "refusal_delta":
      case "toolcall_start":
      case "native":
        this.#hasSpoken = true;
        return;
      case "thinking_delta":
      case "thinking_end":
        this.#hasThought = true;
        return;
      case "usage":
      case "finish":
        this.#usage = { ...this.#usage, ...part.usage };
        return;
      default:
    }
  }

  /** A limit that was spent on thinking is none of the context, unless the window is full. */
  #isFull(): boolean {
    if (this.#hasSpoken) return false;
    const { inputTokens = 0, outputTokens = 0 } = this.#usage;
    if (!this.#hasThought && outputTokens === 0) return true;
    const window = this.#contextWindow ?? Number.POSITIVE_INFINITY;
    return inputTokens + outputTokens >= window * fullShare;
  }
}

/** Detects empty replies that ended at the token limit: the conversation fills the window, which some servers report in no other way. */
import type { ProviderPart, Usage } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";

/** Servers differ by a few tokens in how they count. */
const fullShare = 0.98;

export class RoomCheck {
  readonly #provider: string;
  readonly #contextWindow: number | undefined;
  #usage: Usage = {};
  #hasSpoken = false;
  #hasThought = false;

  /** `contextWindow`: the model's, if known. */
  constructor(provider: string, contextWindow: number | undefined) {
    this.#provider = provider;
    this.#contextWindow = contextWindow;
  }

  /** Checks the next parts of a reply. Throws a `ProviderError` instead of a finish that means an overflow. */
  take(parts: ProviderPart[]): void {
    if (this.#hasSpoken) return;
    for (const part of parts) this.#look(part);
    const last = parts.at(-1);
    if (last?.type !== "finish" || last.reason !== "length" || !this.#isFull()) return;
    parts.pop();
    if (last.usage !== undefined) parts.push({ type: "usage", usage: last.usage });
    throw new ProviderError(
      "context_overflow",
      `${this.#provider} reached the token limit before its first word: the conversation leaves no room for an answer`,
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

  /** A limit used up by thinking is no overflow, unless the window is full. */
  #isFull(): boolean {
    if (this.#hasSpoken) return false;
    const { inputTokens = 0, outputTokens = 0 } = this.#usage;
    if (!this.#hasThought && outputTokens === 0) return true;
    const window = this.#contextWindow ?? Number.POSITIVE_INFINITY;
    return inputTokens + outputTokens >= window * fullShare;
  }
}

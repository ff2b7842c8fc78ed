/** Size of the next request of a session: the last size the provider reported, plus the messages since. */
import type { ChatMessage, ToolDeclaration } from "@capstan/kernel";
import type { ReportedSize, SessionFold } from "@capstan/log";
import {
  mostTokensOfMessage,
  tokensOfMessage,
  tokensOfText,
  tokensOfTools,
} from "./estimate-tokens.ts";

export interface TokenCount {
  readonly tokens: number;
  /** False if the provider has counted all of it. */
  readonly isEstimate: boolean;
}

/** Parts of a request besides the messages. */
export interface RequestFrame {
  readonly model: string;
  readonly instructions: string | undefined;
  readonly tools: readonly ToolDeclaration[];
  /** Whether custom messages may be converted for the model. */
  readonly hasCustom: boolean;
}

/** Tokens of the note that replaces an evicted output. */
const evictedTokens = 40;

/**
 * Size of one session while it is open: each message is counted once. Texts are read only if their length alone does not show that there is
 * room.
 */
export class ContextSize {
  readonly #fold: SessionFold;
  #reported: ReportedSize | undefined;
  #version = -1;
  #prompt: SessionFold["prompt"];
  /** Tokens of the messages before `#read`, with the rest of the request. */
  #tokens = 0;
  #read = 0;
  /** Upper bound for the messages from `#read` to `#seen`. */
  #most = 0;
  #seen = 0;

  constructor(fold: SessionFold) {
    this.#fold = fold;
  }

  /** Whether the next request has at least this many tokens. Called before every request. */
  reaches(limit: number, frame: RequestFrame): boolean {
    const { transcript } = this.#fold;
    const { length } = transcript;
    if (!this.#isCurrent()) this.#begin(frame);
    for (; this.#seen < length; this.#seen++) {
      // In range.
      const message = transcript.at(this.#seen) as ChatMessage;
      this.#most += mostTokensOfMessage(message, frame.hasCustom);
    }
    if (this.#tokens + this.#most < limit) return false;
    this.#readSeen(frame);
    return this.#tokens >= limit;
  }

  count(frame: RequestFrame): TokenCount {
    this.reaches(0, frame);
    const { reported } = this.#fold.context;
    const isCounted = reported?.messageCount === this.#seen && reported.model === frame.model;
    return { tokens: this.#tokens, isEstimate: !isCounted };
  }

  #isCurrent(): boolean {
    const { context, prompt } = this.#fold;
    return (
      this.#reported === context.reported &&
      this.#version === context.version &&
      this.#prompt === prompt
    );
  }

  /** Starts from the reported size, or from zero. */
  #begin({ instructions, tools }: RequestFrame): void {
    const { context, transcript, prompt } = this.#fold;
    const { reported, summary } = context;
    this.#reported = reported;
    this.#version = context.version;
    this.#prompt = prompt;
    this.#most = 0;
    if (reported !== undefined) {
      this.#tokens = reported.tokens;
      this.#read = reported.messageCount;
    } else {
      const prefix = tokensOfText(instructions ?? "") + tokensOfTools(tools);
      this.#tokens = prefix + tokensOfText(summary?.text ?? "");
      this.#read = summary === undefined ? 0 : transcript.indexAfter(summary.through);
    }
    this.#seen = this.#read;
  }

  #readSeen({ hasCustom }: RequestFrame): void {
    const { transcript, context } = this.#fold;
    for (; this.#read < this.#seen; this.#read++) {
      const message = transcript.at(this.#read) as ChatMessage;
      const isEvicted = message.role === "tool" && context.evicted.has(message.toolCallId);
      this.#tokens += isEvicted ? evictedTokens : tokensOfMessage(message, hasCustom);
    }
    this.#most = 0;
  }
}

/** Estimates a request with these messages. */
export function estimate(messages: readonly ChatMessage[], frame: RequestFrame): number {
  let tokens = tokensOfText(frame.instructions ?? "") + tokensOfTools(frame.tools);
  for (const message of messages) tokens += tokensOfMessage(message, frame.hasCustom);
  return tokens;
}

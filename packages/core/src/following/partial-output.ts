/** The typed answer of a turn while the model writes it. */
import type { AssistantMessage, JsonValue, LiveMessage } from "@capstan/kernel";
import { parsePartialJson } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";

/**
 * A text is parsed again once it has grown by this share of itself. So all parses of an answer together take about 64 times the time of one,
 * however many deltas it comes in.
 */
const growth = 1 / 64;

/**
 * Iterating it yields the value so far, whenever there is more of it, until the turn ends. A reader that is slower than the model skips
 * values, and gets the last one. A new reply, such as a repaired answer, begins again. Takes every event of its turn.
 */
export class PartialOutput implements AsyncIterable<JsonValue> {
  #text = "";
  /** Number of replies so far. */
  #reply = 0;
  #isWhole = false;
  #isOver = false;
  #waiting: (() => void)[] = [];

  take(event: SessionEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.role === "assistant") this.#begin("");
        return;
      case "attempt_discarded":
        return this.#begin("");
      case "snapshot":
        return this.#begin(liveText(event.message));
      case "text_delta":
        this.#text += event.delta;
        return this.#wake();
      case "message_end":
        if (event.message.role === "assistant") this.#complete(textOf(event.message));
        return;
      default:
        return;
    }
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JsonValue, void, undefined> {
    let reply = 0;
    let parsedChars = 0;
    for (;;) {
      if (reply !== this.#reply) parsedChars = 0;
      reply = this.#reply;
      const { length } = this.#text;
      const isLast = this.#isWhole || this.#isOver;
      if (length > parsedChars && (isLast || length >= parsedChars * (1 + growth))) {
        parsedChars = length;
        const value = parsePartialJson(withoutFence(this.#text));
        if (value !== undefined) yield value;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #begin(text: string): void {
    this.#reply++;
    this.#text = text;
    this.#isWhole = false;
    this.#wake();
  }

  /** The deltas may have been missed, or have shown a refusal. */
  #complete(text: string): void {
    if (text !== this.#text) this.#begin(text);
    this.#isWhole = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** For turns whose answer is not typed. */
export const noOutput: AsyncIterable<never> = {
  async *[Symbol.asyncIterator]() {},
};

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Empty if the snapshot has left out the beginning. */
function liveText(message: LiveMessage | undefined): string {
  const parts = message?.content.filter((part) => part.type === "text") ?? [];
  const isCut = parts.some((part) => part.omittedChars !== undefined);
  return isCut ? "" : parts.map((part) => part.text).join("");
}

/** Models like to put JSON into a code fence; its end is no JSON, and is left out by the parser. */
function withoutFence(text: string): string {
  return text.replace(/^\s*```(?:json)?\s*\n/, "");
}

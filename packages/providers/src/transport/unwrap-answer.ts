/** Removes the wrapper from an answer while it streams: `{"answer":[1,2]}` becomes `[1,2]`. */
import type { ProviderPart } from "@capstan/kernel";
import { wrapperKey } from "../projection/wrapped-output.ts";

const opening = `{"${wrapperKey}":`;
const openingPattern = new RegExp(`^\\s*\\{\\s*"${wrapperKey}"\\s*:\\s*`);

type State =
  /** No text is open. */
  | "outside"
  /** The text so far may be the start of a wrapper. */
  | "beginning"
  | "wrapped"
  | "plain";

/** For one reply. Text without the wrapper passes through unchanged: a server may have ignored the format. */
export class AnswerUnwrapper {
  #state: State = "outside";
  /** Text held back: a possible start, or a possible end of the wrapper. */
  #held = "";

  /** Changes the parts in place. */
  apply(parts: ProviderPart[]): void {
    if (parts.length === 0) return;
    const read = parts.splice(0);
    for (const part of read) this.#take(part, parts);
  }

  #take(part: ProviderPart, parts: ProviderPart[]): void {
    switch (part.type) {
      case "text_delta":
        return push(this.#text(part.delta), parts);
      // These end no text.
      case "start":
      case "usage":
      case "ping":
        break;
      default:
        push(this.#end(), parts);
    }
    parts.push(part);
  }

  #text(delta: string): string {
    if (this.#state === "plain") return delta;
    const text = this.#held + delta;
    this.#held = "";
    if (this.#state === "wrapped") return this.#holdEnd(text);
    const compact = text.replaceAll(/\s+/g, "");
    if (compact.startsWith(opening)) {
      this.#state = "wrapped";
      return this.#holdEnd(text.replace(openingPattern, ""));
    }
    if (opening.startsWith(compact)) {
      this.#state = "beginning";
      this.#held = text;
      return "";
    }
    this.#state = "plain";
    return text;
  }

  /** Holds back trailing braces and white space, one of which may be the wrapper's. */
  #holdEnd(text: string): string {
    let end = text.length;
    while (end > 0 && isEnding(text.charCodeAt(end - 1))) end--;
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  #end(): string {
    const held = this.#held;
    const isWrapped = this.#state === "wrapped";
    this.#state = "outside";
    this.#held = "";
    const last = isWrapped ? held.lastIndexOf("}") : -1;
    return last === -1 ? held : held.slice(0, last).trimEnd();
  }
}

function push(delta: string, parts: ProviderPart[]): void {
  if (delta !== "") parts.push({ type: "text_delta", delta });
}

/** A closing brace, or JSON's white space. */
function isEnding(code: number): boolean {
  return code === 125 || code === 32 || code === 10 || code === 13 || code === 9;
}

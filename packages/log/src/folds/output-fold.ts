/** The outputs of tools that a model is still shown, oldest first: what may be left out next. */
import type { ChatMessage, ToolMessage } from "@capstan/kernel";
import { sizeOfContent, sizeOfNote } from "./message-size.ts";

export interface ShownOutput {
  readonly toolCallId: string;
  readonly toolName: string;
  /**
   * Characters; an image or a document counts as a long text. 0 for one that is hardly longer than the note that would stand in its place:
   * it takes no room that could be had.
   */
  readonly size: number;
  /** The place of its message in the transcript. */
  readonly place: number;
}

export class OutputFold {
  #shown: ShownOutput[] = [];
  readonly #counts = new Map<string, number>();
  #size = 0;

  get shown(): readonly ShownOutput[] {
    return this.#shown;
  }

  /** Of all of them together. */
  get size(): number {
    return this.#size;
  }

  countOf(toolName: string): number {
    return this.#counts.get(toolName) ?? 0;
  }

  /** Messages that were added to the transcript, the first of them at this place. */
  add(messages: readonly ChatMessage[], place: number): void {
    for (const [index, message] of messages.entries()) {
      if (message.role === "tool") this.#add(message, place + index);
    }
  }

  /** The place of the first of them; far behind all, if none is there. */
  evict(toolCallIds: readonly string[]): number {
    const evicted = new Set(toolCallIds);
    const first = this.#shown.find(({ toolCallId }) => evicted.has(toolCallId));
    this.#keep(({ toolCallId }) => !evicted.has(toolCallId));
    return first?.place ?? Infinity;
  }

  /** A summary stands in the place of what was before this place. */
  forgetBefore(place: number): void {
    this.#keep((output) => output.place >= place);
  }

  reset(): void {
    this.#keep(() => false);
  }

  #add({ toolCallId, toolName, content }: ToolMessage, place: number): void {
    const whole = sizeOfContent(content);
    const size = whole > sizeOfNote ? whole : 0;
    this.#shown.push({ toolCallId, toolName, size, place });
    this.#size += size;
    this.#counts.set(toolName, this.countOf(toolName) + 1);
  }

  #keep(isKept: (output: ShownOutput) => boolean): void {
    for (const output of this.#shown) {
      if (isKept(output)) continue;
      this.#size -= output.size;
      this.#counts.set(output.toolName, this.countOf(output.toolName) - 1);
    }
    this.#shown = this.#shown.filter(isKept);
  }
}

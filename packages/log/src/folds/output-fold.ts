/** Tool outputs that a model is still shown, oldest first: candidates for eviction. */
import type { ChatMessage, ToolContent, ToolMessage } from "@capstan/kernel";
import { sizeOfContent, sizeOfNote } from "./message-size.ts";
import { appended } from "./spare-room.ts";

/** Output of a tool that the model still sees. */
export interface ShownOutput {
  readonly toolCallId: string;
  readonly toolName: string;
  /**
   * Characters; an image or a document counts as a long text. 0 for an output that is hardly longer than the note that would replace it:
   * evicting it would free no room.
   */
  readonly size: number;
  /** Index of its message in the transcript. */
  readonly index: number;
}

/** Outputs of tools that the model still sees, and their size. */
export class OutputFold {
  #shown: ShownOutput[] = [];
  /** Counted when they are first asked for, which is for tools with a limit only. */
  #counts: Map<string, number> | undefined;
  #size = 0;

  get shown(): readonly ShownOutput[] {
    return this.#shown;
  }

  /** Total size. */
  get size(): number {
    return this.#size;
  }

  /** Total size with these outputs, at most. */
  sizeWith(outputs: readonly ToolContent[]): number {
    return outputs.reduce((sum, content) => sum + sizeOfContent(content), this.#size);
  }

  countOf(toolName: string): number {
    this.#counts ??= countByTool(this.#shown);
    return this.#counts.get(toolName) ?? 0;
  }

  /** Adds messages of the transcript, the first of them at this index. */
  add(messages: readonly ChatMessage[], first: number): void {
    for (const [offset, message] of messages.entries()) {
      if (message.role === "tool") this.#add(message, first + offset);
    }
  }

  /** Returns the index of the first one; Infinity if none exists. */
  evict(toolCallIds: readonly string[]): number {
    const evicted = new Set(toolCallIds);
    const first = this.#shown.find(({ toolCallId }) => evicted.has(toolCallId));
    this.#keep(({ toolCallId }) => !evicted.has(toolCallId));
    return first?.index ?? Infinity;
  }

  /** Drops outputs before this index, which a summary replaces. */
  forgetBefore(index: number): void {
    this.#keep((output) => output.index >= index);
  }

  /** @internal State for a checkpoint. */
  save(): readonly ShownOutput[] {
    return this.#shown;
  }

  /** @internal Takes over the state of a checkpoint. */
  load(shown: readonly ShownOutput[]): void {
    this.#shown = [...shown];
    this.#size = shown.reduce((sum, { size }) => sum + size, 0);
    this.#counts = undefined;
  }

  reset(): void {
    this.#keep(() => false);
  }

  #add({ toolCallId, toolName, content }: ToolMessage, index: number): void {
    const whole = sizeOfContent(content);
    const size = whole > sizeOfNote ? whole : 0;
    this.#shown = appended(this.#shown, { toolCallId, toolName, size, index });
    this.#size += size;
    if (this.#counts !== undefined) addTo(this.#counts, toolName, 1);
  }

  #keep(isKept: (output: ShownOutput) => boolean): void {
    for (const output of this.#shown) {
      if (isKept(output)) continue;
      this.#size -= output.size;
      if (this.#counts !== undefined) addTo(this.#counts, output.toolName, -1);
    }
    this.#shown = this.#shown.filter(isKept);
  }
}

function countByTool(outputs: readonly ShownOutput[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { toolName } of outputs) addTo(counts, toolName, 1);
  return counts;
}

function addTo(counts: Map<string, number>, toolName: string, count: number): void {
  counts.set(toolName, (counts.get(toolName) ?? 0) + count);
}

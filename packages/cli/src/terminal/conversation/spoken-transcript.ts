/** A conversation as plain lines, each written once: for screen readers. */
import { finishedEnds } from "../render/paragraphs.ts";
import { safeText } from "../render/safe-text.ts";
import type { SpokenBody } from "../screen/contracts.ts";
import type { Block, CallBlock } from "./blocks.ts";

/** Blocks of an earlier conversation that are read at the start. */
const firstBlockCount = 20;
/** Lines of a result. */
const maxOutputLines = 8;

export class SpokenTranscript implements SpokenBody {
  readonly #blocks: () => readonly Block[];
  /** Ids of the blocks that are complete. */
  readonly #done = new Set<string>();
  /** Blocks before this index are complete. */
  #from = 0;
  /** Characters of replies, and calls, of which the beginning was said. */
  readonly #begun = new Map<string, number>();
  #isNew = true;
  /** Prompts that the user has just written: these lines are on the screen. */
  readonly #written: string[] = [];

  constructor(blocks: () => readonly Block[]) {
    this.#blocks = blocks;
  }

  /** Begins with the last blocks of another conversation. */
  startOver(): void {
    this.#isNew = true;
  }

  /** The user has written this prompt here. */
  expect(prompt: string): void {
    this.#written.push(prompt);
  }

  next(): readonly string[] {
    const blocks = this.#blocks();
    const lines = this.#isNew ? this.#skipped(blocks) : [];
    if (this.#from > blocks.length) this.#from = 0;
    for (const block of blocks.slice(this.#from)) {
      if (!this.#done.has(block.id)) lines.push(...this.#say(block));
    }
    while (this.#done.has(blocks[this.#from]?.id ?? "")) this.#from += 1;
    return lines;
  }

  #skipped(blocks: readonly Block[]): string[] {
    this.#isNew = false;
    this.#from = 0;
    const earlier = blocks.slice(0, -firstBlockCount).filter(({ id }) => !this.#done.has(id));
    for (const { id } of earlier) this.#done.add(id);
    return earlier.length === 0 ? [] : [`${earlier.length} earlier parts are not repeated.`];
  }

  #say(block: Block): readonly string[] {
    switch (block.type) {
      case "user":
        return this.#finish(block, this.#isWritten(block.text) ? "" : `You: ${block.text}`);
      case "notice":
        return this.#finish(block, `${block.tone === "error" ? "Error: " : ""}${block.text}`);
      case "thinking": {
        const [first = ""] = block.text.trim().split("\n");
        return block.isOpen ? [] : this.#finish(block, first === "" ? "" : `Thinking: ${first}`);
      }
      case "reply":
        return this.#sayReply(block);
      case "call":
        return this.#sayCall(block);
      default:
        return block satisfies never;
    }
  }

  #isWritten(prompt: string): boolean {
    const index = this.#written.indexOf(prompt);
    if (index >= 0) this.#written.splice(index, 1);
    return index >= 0;
  }

  /** Paragraphs of a reply are said as soon as they are complete. */
  #sayReply(block: Extract<Block, { readonly type: "reply" }>): readonly string[] {
    const { id, text, isOpen } = block;
    const begun = this.#begun.get(id);
    const end = isOpen ? (finishedEnds(text, begun ?? 0).at(-1) ?? begun ?? 0) : text.length;
    const said = `${begun === undefined ? "Reply: " : ""}${text.slice(begun ?? 0, end)}`;
    if (!isOpen) return this.#finish(block, said);
    if (end === (begun ?? 0)) return [];
    this.#begun.set(id, end);
    return linesOf(said);
  }

  #sayCall(block: CallBlock): readonly string[] {
    const { id, toolName, input, state, output } = block;
    if (input === undefined) return [];
    const fields = typeof input === "string" ? input : JSON.stringify(input);
    const head = this.#begun.has(id) ? [] : linesOf(`Tool ${toolName}: ${fields}`);
    this.#begun.set(id, 0);
    if (state === "writing" || state === "waiting" || state === "running") return head;
    const all = linesOf(output);
    const shown = all.slice(0, maxOutputLines);
    const left = all.length - shown.length;
    const rest = left === 0 ? [] : [`${left} more lines.`];
    const ends = { done: "is done", failed: "has failed", denied: "was refused" } as const;
    return [...head, ...this.#finish(block, `${toolName} ${ends[state]}.`), ...shown, ...rest];
  }

  #finish({ id }: Block, text: string): readonly string[] {
    this.#done.add(id);
    this.#begun.delete(id);
    return linesOf(text);
  }
}

function linesOf(text: string): readonly string[] {
  return safeText(text)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

/** Decodes text and reasoning. AI SDK blocks may overlap and are told apart by id; here only one block is open at a time. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { requiredText, textIn, toJson } from "./fields.ts";

type Kind = "text" | "thinking";

interface Block {
  readonly kind: Kind;
  /** Latest metadata the block received, to send back later. */
  metadata: unknown;
  citations: unknown;
  /** Whether the block received data that has not been emitted yet. */
  isNews: boolean;
}

/**
 * A block is closed when another one opens, and a later delta opens a new part: nothing is buffered or lost, and real models send blocks in order.
 * Provider data is emitted at the end of a part, so an incomplete part has none.
 */
export class ProseBlocks {
  readonly #blocks = new Map<string, Block>();
  #open: Block | undefined;
  /** Whether any text has been emitted. */
  hasText = false;

  start(kind: Kind, part: Fields, parts: ProviderPart[]): void {
    const block: Block = { kind, metadata: undefined, citations: undefined, isNews: false };
    this.#blocks.set(keyOf(kind, part), block);
    this.#openBlock(block, parts);
    learn(block, part);
  }

  delta(kind: Kind, part: Fields, parts: ProviderPart[]): void {
    const delta = requiredText(part, "delta");
    const block = this.#find(kind, part, parts);
    learn(block, part);
    if (delta === "") return;
    if (block !== this.#open) this.#openBlock(block, parts);
    if (kind === "text") this.hasText = true;
    parts.push({ type: `${kind}_delta`, delta });
  }

  end(kind: Kind, part: Fields, parts: ProviderPart[]): void {
    const block = this.#find(kind, part, parts);
    learn(block, part);
    if (block !== this.#open) {
      if (!block.isNews) return;
      // The block was closed before this data arrived, so the data goes into an empty part after it.
      this.#openBlock(block, parts);
    }
    this.close(parts);
  }

  /** Closes the open block, because a part that is not prose follows. */
  close(parts: ProviderPart[]): void {
    const block = this.#open;
    if (block === undefined) return;
    this.#open = undefined;
    block.isNews = false;
    const providerData = dataOf(block);
    parts.push({ type: `${block.kind}_end`, ...(providerData !== undefined && { providerData }) });
  }

  #find(kind: Kind, part: Fields, parts: ProviderPart[]): Block {
    const key = keyOf(kind, part);
    if (!this.#blocks.has(key)) this.start(kind, part, parts);
    // `start` has just created it if it was missing.
    return this.#blocks.get(key) as Block;
  }

  #openBlock(block: Block, parts: ProviderPart[]): void {
    this.close(parts);
    this.#open = block;
    parts.push({ type: `${block.kind}_start` });
  }
}

function keyOf(kind: Kind, part: Fields): string {
  return `${kind} ${textIn(part, "id") ?? ""}`;
}

function learn(block: Block, { providerMetadata, citations }: Fields): void {
  if (providerMetadata !== undefined && providerMetadata !== null) {
    block.metadata = providerMetadata;
    block.isNews = true;
  }
  if (Array.isArray(citations)) {
    block.citations = citations;
    block.isNews = true;
  }
}

function dataOf({ metadata, citations }: Block): JsonValue | undefined {
  const providerOptions = toJson(metadata);
  const kept = toJson(citations);
  if (providerOptions === undefined && kept === undefined) return undefined;
  return {
    ...(providerOptions !== undefined && { providerOptions }),
    ...(kept !== undefined && { citations: kept }),
  };
}

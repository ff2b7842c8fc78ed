/** Texts and reasoning of a reply. In the AI SDK they may overlap, told apart by their ids; here one is open at a time. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { requiredText, textIn, toJson } from "./fields.ts";

type Kind = "text" | "thinking";

interface Block {
  readonly kind: Kind;
  /** What the last part of it that said anything has said, for the way back. */
  metadata: unknown;
  citations: unknown;
  /** Whether something is known of it that was not handed out. */
  isNews: boolean;
}

/**
 * A block that is left for another one is closed, and a delta that comes later opens a new part: nothing waits and nothing is lost, and what
 * models really send is in order. What they have to keep comes with the end of a part, so that half a part has none of it.
 */
export class ProseBlocks {
  readonly #blocks = new Map<string, Block>();
  #open: Block | undefined;
  /** Whether readers have seen a text. */
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
      // It was closed without this, which goes into an empty part behind it.
      this.#openBlock(block, parts);
    }
    this.close(parts);
  }

  /** Something that is no prose comes. */
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
    // It has just been made, if it was not there.
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

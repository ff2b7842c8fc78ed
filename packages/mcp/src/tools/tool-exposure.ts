/** Decides whether models get the declarations of all tools, or a search instead of them. */
import type { AnyTool, ToolSourceRequest } from "@capstan/core";
import { tokensOfTools } from "@capstan/core";

/**
 * Whether tools are found by a search tool instead of being declared: when they take much room, always, or never.
 */
export type ToolSearch = "auto" | "always" | "never";

/** As for compaction, if the window of a model is not known. */
const unknownWindow = 32_000;
/** A search that is in use stays until the declarations are this share of the limit: another prompt costs the vendor's cache. */
const stayShare = 0.5;

export class ToolExposure {
  readonly #mode: ToolSearch;
  readonly #share: number;
  /** The decision of the last turn, by the window of its model. */
  readonly #isSearching = new Map<number, boolean>();

  /** Size of the search's own declarations: fewer tokens cannot be saved. */
  readonly #least: number;

  constructor(mode: ToolSearch, share: number, search: readonly AnyTool[]) {
    this.#mode = mode;
    this.#share = share;
    this.#least = tokensOfTools(search);
  }

  /** Whether the model searches these tools. A caller that is not a turn gets them all in `auto`. */
  async needsSearch(
    tools: readonly AnyTool[],
    contextWindow: ToolSourceRequest["contextWindow"] | undefined,
  ): Promise<boolean> {
    if (this.#mode !== "auto") return this.#mode === "always" && tools.length > 0;
    if (contextWindow === undefined || tools.length === 0) return false;
    const window = (await contextWindow()) ?? unknownWindow;
    const limit = window * this.#share * (this.#isSearching.get(window) === true ? stayShare : 1);
    const isSearching = tokensOfTools(tools) > Math.max(limit, this.#least);
    this.#isSearching.set(window, isSearching);
    return isSearching;
  }
}

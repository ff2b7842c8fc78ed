/** Lays out the blocks of a conversation, and remembers the lines of those that have not changed. */
import type { Block } from "../conversation/blocks.ts";
import type { Typesetter } from "../screen/contracts.ts";
import { MarkdownLines } from "./markdown-lines.ts";
import { renderCall } from "./render-call.ts";
import { safeText } from "./safe-text.ts";
import type { Theme } from "./theme.ts";

export interface RenderOptions {
  readonly theme: Theme;
  readonly typesetter: Typesetter;
  /** True to show the whole thinking; else its first line. */
  readonly isThinkingShown: boolean;
}

/** Returns a function from a block to its lines. Its cache holds blocks weakly. */
export function createBlockRenderer(
  options: RenderOptions,
): (block: Block, width: number) => readonly string[] {
  const cache = new WeakMap<Block, { readonly width: number; readonly lines: readonly string[] }>();
  /** Replies that are still being written, by id. */
  const growing = new Map<string, MarkdownLines>();
  return (block, width) => {
    const known = cache.get(block);
    if (known?.width === width) return known.lines;
    const lines = ["", ...render(block, width, options, growing)];
    cache.set(block, { width, lines });
    return lines;
  };
}

function render(
  block: Block,
  width: number,
  options: RenderOptions,
  growing: Map<string, MarkdownLines>,
): readonly string[] {
  const { theme, typesetter } = options;
  const inner = Math.max(1, width - 2);
  switch (block.type) {
    case "user":
      return typesetter
        .wrap(safeText(block.text), inner)
        .map((line, index) => `${theme.accent(index === 0 ? ">" : " ")} ${theme.user(line)}`);
    case "reply": {
      const lines = growing.get(block.id) ?? new MarkdownLines(typesetter);
      if (block.isOpen) growing.set(block.id, lines);
      else growing.delete(block.id);
      return lines.of(safeText(block.text), width);
    }
    case "thinking": {
      const text = safeText(block.text).trim();
      if (!options.isThinkingShown) {
        const [first = ""] = text.split("\n");
        return [theme.dim(typesetter.cut(`✻ ${first.replaceAll(/[*#]/g, "").trim()}`, width))];
      }
      return typesetter.wrap(text, inner).map((line) => `  ${theme.dim(line)}`);
    }
    case "call":
      return renderCall(block, width, options);
    case "notice": {
      const paint = block.tone === "error" ? theme.error : theme.dim;
      return typesetter.wrap(safeText(block.text), width).map((line) => paint(line));
    }
    default:
      return block satisfies never;
  }
}

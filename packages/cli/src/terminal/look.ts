/** Colours and layout of the conversation, as they are now. */
import type { Block } from "./blocks.ts";
import type { Typesetter } from "./contracts.ts";
import type { Highlight } from "./render/highlight.ts";
import { createHighlight, loadHighlighter } from "./render/highlight.ts";
import { createBlockRenderer } from "./render/render-block.ts";
import type { Theme, ThemeName } from "./render/theme.ts";
import { createTheme } from "./render/theme.ts";

export interface LookInit {
  readonly name: ThemeName;
  readonly createTypesetter: (theme: Theme, highlight: Highlight) => Typesetter;
}

export class Look {
  readonly #createTypesetter: LookInit["createTypesetter"];
  #highlighter: ReturnType<typeof loadHighlighter> | undefined;
  #name: ThemeName;
  #isThinkingShown = false;
  theme: Theme;
  typesetter: Typesetter;
  linesOf: (block: Block, width: number) => readonly string[];

  constructor({ name, createTypesetter }: LookInit) {
    this.#createTypesetter = createTypesetter;
    this.#name = name;
    this.theme = createTheme(name);
    this.typesetter = this.#typeset();
    this.linesOf = this.#renderer();
  }

  get name(): ThemeName {
    return this.#name;
  }

  setTheme(name: ThemeName): void {
    this.#name = name;
    this.theme = createTheme(name);
    this.typesetter = this.#typeset();
    this.linesOf = this.#renderer();
  }

  toggleThinking(): void {
    this.#isThinkingShown = !this.#isThinkingShown;
    this.linesOf = this.#renderer();
  }

  /** Colours code from now on. */
  loadColours(): void {
    this.#highlighter = loadHighlighter();
    this.linesOf = this.#renderer();
  }

  #typeset(): Typesetter {
    return this.#createTypesetter(
      this.theme,
      createHighlight(this.theme, () => this.#highlighter),
    );
  }

  #renderer(): (block: Block, width: number) => readonly string[] {
    const { theme, typesetter } = this;
    return createBlockRenderer({ theme, typesetter, isThinkingShown: this.#isThinkingShown });
  }
}

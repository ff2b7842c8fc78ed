/** Colours and layout of the conversation, as they are now. */
import type { Block } from "../conversation/blocks.ts";
import type { Rgb, Typesetter } from "../screen/contracts.ts";
import type { Highlight } from "./highlight.ts";
import { createHighlight, loadHighlighter } from "./highlight.ts";
import { createBlockRenderer } from "./render-block.ts";
import type { Theme, ThemeName } from "./theme.ts";
import { createTheme, themeFor } from "./theme.ts";

export interface LookInit {
  readonly name: ThemeName;
  readonly createTypesetter: (theme: Theme, highlight: Highlight) => Typesetter;
}

export class Look {
  readonly #createTypesetter: LookInit["createTypesetter"];
  #highlighter: ReturnType<typeof loadHighlighter> | undefined;
  #name: ThemeName;
  #isChosen = false;
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

  /** Uses this theme from now on, whatever the background is. */
  choose(name: ThemeName): void {
    this.#isChosen = true;
    this.#set(name);
  }

  /** Uses the theme for this background, unless there are no colours or the user has chosen some. Returns true if that changes it. */
  follow(background: Rgb): boolean {
    const name = themeFor(background);
    if (this.#isChosen || this.#name === "plain" || this.#name === name) return false;
    this.#set(name);
    return true;
  }

  #set(name: ThemeName): void {
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

/** Everything on the screen as lines, from top to bottom: the conversation, and what is below it. */
import type { Panel, ScreenParts, TerminalDevice, Typesetter } from "./contracts.ts";

/** Columns of a wide letter, and of what the editor puts beside it. In less the library breaks lines without end. */
const minEditorWidth = 8;

export interface RootOptions {
  readonly isFull: boolean;
  readonly panel: () => Panel | undefined;
  readonly typesetter: Pick<Typesetter, "widthOf" | "cut">;
  /** Paints the line that tells of more lines below. */
  readonly paintMore: (text: string) => string;
}

interface PromptEditor {
  render(width: number): readonly string[];
  invalidate(): void;
}

export class Root {
  editor: PromptEditor | undefined;
  isRestarting = false;
  /** True to draw nothing any more. */
  isErased = false;
  readonly #device: TerminalDevice;
  readonly #parts: ScreenParts;
  readonly #options: RootOptions;
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #belowCount = 0;
  #held: readonly string[] | undefined;

  constructor(device: TerminalDevice, parts: ScreenParts, options: RootOptions) {
    this.#device = device;
    this.#parts = parts;
    this.#options = options;
  }

  /** Number of lines below the conversation, in the last frame. */
  get belowCount(): number {
    return this.#belowCount;
  }

  /** Makes these the next frame. */
  hold(lines: readonly string[]): void {
    this.#held = lines;
  }

  render(width: number): string[] {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? this.layOut(width) : [...held];
  }

  layOut(width: number): string[] {
    if (this.isErased) return [];
    const { rows } = this.#device;
    const below = this.#below(width, rows);
    this.#belowCount = below.length;
    const body = this.#options.isFull
      ? this.#window(width, rows - below.length)
      : this.#tail(width, rows - below.length);
    const { widthOf } = this.#options.typesetter;
    return [...body, ...below].map((line) =>
      widthOf(line) > width ? this.#cut(line, width) : withoutPadding(line),
    );
  }

  invalidate(): void {
    this.editor?.invalidate();
  }

  /** Lines that are not in the scrollback yet. */
  #tail(width: number, count: number): readonly string[] {
    const { columns, rows } = this.#device;
    const { body } = this.#parts;
    const { columns: lastColumns = columns, rows: lastRows = rows } = this.#size ?? {};
    const isResized = lastColumns !== columns || lastRows !== rows;
    this.#size = { columns, rows };
    if (isResized || this.isRestarting) body.showLast(width, Math.max(0, count));
    this.isRestarting = false;
    return body.lines(width);
  }

  /** Exactly `count` lines: nothing ever scrolls. */
  #window(width: number, count: number): readonly string[] {
    const { scrolled } = this.#parts;
    const lines = scrolled.window(width, count);
    const filled = [...lines, ...Array<string>(Math.max(0, count - lines.length)).fill("")];
    if (scrolled.isAtEnd || count < 2) return filled;
    const more = this.#options.paintMore(this.#cut("↓ more below: ctrl+end", width));
    return [...filled.slice(0, -1), more];
  }

  /** Everything below the conversation. One row is left for it, so that nothing of this ever scrolls away. */
  #below(width: number, rows: number): readonly string[] {
    const { above, below } = this.#parts;
    const panel = this.#options.panel();
    const editorWidth = Math.max(minEditorWidth, width);
    const input = panel?.lines(width, rows) ?? this.editor?.render(editorWidth) ?? [];
    const lines = ["", ...above(width), ...input, ...below(width)];
    return lines.slice(-Math.max(1, rows - 1));
  }

  #cut(line: string, width: number): string {
    return this.#options.typesetter.cut(line, width);
  }
}

/** The library fills lines with spaces, which the terminal would have to be sent, and users would copy. */
function withoutPadding(line: string): string {
  return line.endsWith(" ") ? line.trimEnd() : line;
}

/** Content of a screen that is open before the rest of the command is loaded. What the user does until then is kept. */
import type { Body, KeyName, Rgb, ScreenParts, ScrolledBody, SpokenBody } from "./contracts.ts";

/** Keys that the prompt editor does not handle. */
const kept: ReadonlySet<KeyName> = new Set(["alt+enter", "ctrl+c", "ctrl+d", "ctrl+r", "ctrl+z"]);

export class LateParts implements ScreenParts {
  #parts: ScreenParts | undefined;
  readonly #kept: ((parts: ScreenParts) => void)[] = [];
  #isStarting = true;

  /** From now on these are shown. */
  use(parts: ScreenParts): void {
    this.#parts = parts;
    for (const replay of this.#kept.splice(0)) replay(parts);
    // Keys that have waited are read before the second of these.
    setImmediate(() => setImmediate(() => (this.#isStarting = false)));
  }

  readonly isStarting = (): boolean => this.#isStarting;

  readonly body: Body = {
    lines: (width) => this.#parts?.body.lines(width) ?? [],
    forget: (count) => this.#parts?.body.forget(count),
    showLast: (width, count) => this.#parts?.body.showLast(width, count),
  };

  readonly scrolled: ScrolledBody = ((late: LateParts) => ({
    window: (width, count) => late.#parts?.scrolled.window(width, count) ?? [],
    scrollBy: (lines) => late.#parts?.scrolled.scrollBy(lines),
    scrollToEnd: () => late.#parts?.scrolled.scrollToEnd(),
    get isAtEnd() {
      return late.#parts?.scrolled.isAtEnd ?? true;
    },
  }))(this);

  readonly spoken: SpokenBody = { next: () => this.#parts?.spoken.next() ?? [] };

  readonly hint = (): string | undefined => this.#parts?.hint();

  readonly above = (width: number): readonly string[] => this.#parts?.above(width) ?? [];

  readonly below = (width: number): readonly string[] =>
    this.#parts?.below(width) ?? ["starting …"];

  readonly onKey = (key: KeyName): boolean => {
    if (this.#parts !== undefined) return this.#parts.onKey(key);
    if (kept.has(key)) this.#kept.push((parts) => parts.onKey(key));
    return kept.has(key);
  };

  readonly onCleared = (): void => this.#later((parts) => parts.onCleared());
  readonly onSubmit = (text: string): void => this.#later((parts) => parts.onSubmit(text));

  readonly onBackground = (colour: Rgb): void => this.#later((parts) => parts.onBackground(colour));

  readonly onPaste = (text: string): string => this.#parts?.onPaste(text) ?? text;

  readonly complete: ScreenParts["complete"] = async (before, signal) =>
    this.#parts?.complete(before, signal);

  #later(act: (parts: ScreenParts) => void): void {
    if (this.#parts === undefined) this.#kept.push(act);
    else act(this.#parts);
  }
}

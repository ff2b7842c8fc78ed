/** The device as the library wants a terminal: modes, keys one by one, pastes as a whole. */
import type { TerminalDevice } from "./contracts.ts";
import { PasteBursts } from "./paste-bursts.ts";

/** Splits input into keys and pastes. */
export interface KeySplitter {
  process(text: string): void;
  destroy(): void;
}

export interface KeyInput {
  readonly createSplitter: (
    onKey: (key: string) => void,
    onPaste: (text: string) => void,
  ) => KeySplitter;
  /** Tells the library that keys arrive in Kitty's format. */
  readonly setKitty: (isActive: boolean) => void;
}

/** Bracketed paste, and Kitty's keys without releases: asked for, then queried. The device attributes answer in any terminal. */
const start = "\u001b[?2004h\u001b[>5u\u001b[?u\u001b[c";
const otherKeys = "\u001b[>4;2m";
const clearAll = "\u001b[2J\u001b[H\u001b[3J";

export class DeviceTerminal {
  readonly #device: TerminalDevice;
  readonly #input: KeyInput;
  #splitter: KeySplitter | undefined;
  kittyProtocolActive = false;
  /** True once the conversation has filled the window: nothing else is in it. */
  isWindowOwn = false;

  constructor(device: TerminalDevice, input: KeyInput) {
    this.#device = device;
    this.#input = input;
  }

  get columns(): number {
    return this.#device.columns;
  }

  get rows(): number {
    return this.#device.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const onPaste = (text: string): void => onInput(`\u001b[200~${text}\u001b[201~`);
    const splitter = this.#input.createSplitter((key) => {
      if (!this.#isAnswer(key)) onInput(key);
    }, onPaste);
    this.#splitter = splitter;
    const bursts = new PasteBursts((text) => splitter.process(text), onPaste);
    this.#device.listen({ input: (text) => bursts.take(text), resize: onResize });
    this.#device.write(start);
  }

  stop(): void {
    this.#splitter?.destroy();
    this.#input.setKitty(false);
  }

  async drainInput(): Promise<void> {}

  /** The scrollback is the user's: only the window is cleared. */
  write(text: string): void {
    this.#device.write(text.includes(clearAll) ? text.replace(clearAll, this.#clear()) : text);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.#device.write(`\u001b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }

  hideCursor(): void {
    this.#device.write("\u001b[?25l");
  }

  showCursor(): void {
    this.#device.write("\u001b[?25h");
  }

  clearLine(): void {
    this.#device.write("\u001b[K");
  }

  clearFromCursor(): void {
    this.#device.write("\u001b[J");
  }

  clearScreen(): void {
    this.#device.write(this.#clear());
  }

  setTitle(title: string): void {
    this.#device.write(`\u001b]0;${title}\u0007`);
  }

  setProgress(): void {}

  /** Lines of others, such as those of the shell, move to the scrollback. Own lines are erased one by one: some terminals keep what is cleared at once. */
  #clear(): string {
    const { rows } = this;
    const isOwn = this.isWindowOwn;
    this.isWindowOwn = true;
    if (!isOwn) return `\u001b[${rows};1H${"\n".repeat(rows)}\u001b[H`;
    return `\u001b[H${Array<string>(rows).fill("\u001b[2K").join("\u001b[1B")}\u001b[H`;
  }

  /** Answers to the queries above are not keys. */
  #isAnswer(key: string): boolean {
    // oxlint-disable-next-line no-control-regex -- Answers of terminals begin with an escape.
    const [, flags] = /^\u001b\[\?(\d+)u$/.exec(key) ?? [];
    if (flags !== undefined) {
      this.kittyProtocolActive = flags !== "0";
      this.#input.setKitty(this.kittyProtocolActive);
      return true;
    }
    // oxlint-disable-next-line no-control-regex -- As above.
    if (!/^\u001b\[\?[\d;]*c$/.test(key)) return false;
    if (!this.kittyProtocolActive) this.#device.write(otherKeys);
    return true;
  }
}

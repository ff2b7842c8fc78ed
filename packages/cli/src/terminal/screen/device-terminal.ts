/** The device as the library wants a terminal: modes, keys one by one, pastes as a whole. */
import type { KeyName, Rgb, TerminalDevice } from "./contracts.ts";
import { PasteBursts } from "./paste-bursts.ts";
import { TerminalAnswers } from "./terminal-answers.ts";

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
  /** Undefined for releases of keys and reports of the mouse. */
  readonly nameOf: (data: string) => KeyName | undefined;
  /** Text that the key inserts. */
  readonly textOf: (data: string) => string;
  readonly widthOf: (text: string) => number;
}

/** Bracketed paste, and Kitty's keys without releases. */
const modes = "\u001b[?2004h\u001b[>5u";
/** Whether Kitty's keys are on, and the background colour. The device attributes come last: they answer in any terminal. */
const queries = "\u001b[?u\u001b]11;?\u0007\u001b[c";
const otherKeys = "\u001b[>4;2m";
const clearAll = "\u001b[2J\u001b[H\u001b[3J";

interface DeviceListeners {
  readonly onPaste: (text: string) => string;
  readonly onBackground: (colour: Rgb) => void;
  /** True while the command is being loaded, and keys wait for it. */
  readonly isStarting: () => boolean;
  /** Called after keys were handled. */
  readonly onKeys: () => void;
  /** Called once the terminal has lost its modes and its lines. */
  readonly onContinued: () => void;
}

export class DeviceTerminal {
  readonly #device: TerminalDevice;
  readonly #input: KeyInput;
  readonly #listeners: DeviceListeners;
  readonly #answers: TerminalAnswers;
  #splitter: KeySplitter | undefined;
  kittyProtocolActive = false;
  /** True once the conversation has filled the window: nothing else is in it. */
  isWindowOwn = false;

  constructor(device: TerminalDevice, input: KeyInput, listeners: DeviceListeners) {
    this.#device = device;
    this.#input = input;
    this.#listeners = listeners;
    this.#answers = new TerminalAnswers({
      onKitty: (isActive) => {
        this.kittyProtocolActive = isActive;
        input.setKitty(isActive);
      },
      onBackground: listeners.onBackground,
      onAttributes: () => {
        if (!this.kittyProtocolActive) device.write(otherKeys);
      },
    });
  }

  get columns(): number {
    return this.#device.columns;
  }

  get rows(): number {
    return this.#device.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { onPaste: toInserted, onContinued, onKeys, isStarting } = this.#listeners;
    const onPaste = (text: string): void => onInput(`\u001b[200~${toInserted(text)}\u001b[201~`);
    const splitter = this.#input.createSplitter((key) => {
      if (!this.#answers.take(key)) onInput(key);
    }, onPaste);
    this.#splitter = splitter;
    const bursts = new PasteBursts((text) => splitter.process(text), onPaste);
    this.#device.listen({
      input: (text) => {
        bursts.isOff = isStarting();
        bursts.take(this.#answers.join(text));
        onKeys();
      },
      resize: onResize,
      continued: () => {
        this.#device.write(modes);
        onContinued();
      },
    });
    this.#device.write(`${modes}${queries}`);
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
}

/** The conversation for screen readers: lines that are written once, without colours or movements of the cursor. */
import { background } from "@capstan/kernel";
import type { Clock } from "@capstan/core";
import { reasonOf } from "../../errors/command-error.ts";
import type { KeyName, Panel, Screen, ScreenParts, TerminalDevice } from "./contracts.ts";
import type { KeyInput } from "./device-terminal.ts";
import { DeviceTerminal } from "./device-terminal.ts";
import { Pacer } from "./pacer.ts";

const prompt = "> ";
const statusWidth = 200;
const maxCompletions = 10;

export interface LineScreenOptions {
  readonly clock: Clock;
  readonly input: KeyInput;
}

export class LineScreen implements Screen {
  readonly kind = "lines";
  readonly #device: TerminalDevice;
  readonly #parts: ScreenParts;
  readonly #input: KeyInput;
  readonly #pacer: Pacer;
  readonly #terminal: DeviceTerminal;
  #panel: Panel | undefined;
  #text = "";
  readonly #history: string[] = [];
  #historyIndex = 0;
  #isWorking = false;
  #hint: string | undefined;
  /** True if the cursor is on the line of the prompt. */
  #isAtPrompt = false;

  constructor(device: TerminalDevice, parts: ScreenParts, { clock, input }: LineScreenOptions) {
    this.#device = device;
    this.#parts = parts;
    this.#input = input;
    this.#pacer = new Pacer(() => this.#draw(), clock);
    this.#terminal = new DeviceTerminal(device, input, {
      onPaste: parts.onPaste,
      isStarting: parts.isStarting,
      onBackground: () => {},
      onKeys: () => {},
      onContinued: () => this.#say([]),
    });
    this.#start();
  }

  redraw(): void {
    this.#pacer.request();
  }

  /** Nothing is drawn again: the state is said. */
  restart(): void {
    this.#draw();
    this.#say(this.#parts.below(statusWidth));
  }

  prompt(): string {
    return this.#text;
  }

  setPrompt(text: string): void {
    if (this.#text === text) return;
    this.#text = text;
    this.#say([]);
  }

  insert(text: string): void {
    this.#text += text;
    this.#echo(text);
  }

  remember(text: string): void {
    this.#history.push(text);
    this.#historyIndex = this.#history.length;
  }

  show(panel: Panel | undefined): void {
    this.#panel = panel;
    this.#draw();
    if (panel !== undefined) this.#say(panel.plainLines());
  }

  copy(text: string): void {
    this.#device.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  setWorking(isWorking: boolean): void {
    this.#draw();
    this.#isWorking = isWorking;
    this.#say(
      isWorking ? ["Working. Escape interrupts."] : ["Done.", ...this.#parts.below(statusWidth)],
    );
  }

  setTitle(title: string): void {
    this.#terminal.setTitle(title);
  }

  notify(): void {
    this.#device.write("\u0007");
  }

  scroll(): boolean {
    return false;
  }

  suspend(): Promise<void> | undefined {
    const { suspend } = this.#device;
    return suspend === undefined ? undefined : this.#suspend(suspend);
  }

  close(): void {
    this.#draw();
    this.#pacer.stop();
    this.#terminal.stop();
    if (this.#isAtPrompt) this.#device.write("\r\n");
    this.#device.close();
  }

  #start(): void {
    this.#terminal.start(
      (data) => this.#onInput(data),
      () => {},
    );
  }

  async #suspend(stop: () => Promise<void>): Promise<void> {
    this.#terminal.stop();
    this.#device.write("\r\n");
    await stop();
    this.#device.open(this.kind);
    this.#isAtPrompt = false;
    this.#start();
    this.#say([]);
  }

  #draw(): void {
    const hint = this.#parts.hint();
    const hinted = hint === undefined || hint === this.#hint ? [] : [hint];
    this.#hint = hint;
    const said = [...this.#parts.spoken.next(), ...hinted];
    if (said.length > 0) this.#say(said);
  }

  /** Writes the lines, and after them the prompt with what the user has typed so far. */
  #say(lines: readonly string[]): void {
    if (this.#isAtPrompt) this.#device.write("\r\n");
    for (const line of lines) this.#device.write(`${withoutColours(line)}\r\n`);
    this.#isAtPrompt = !this.#isWorking || this.#panel !== undefined || this.#text !== "";
    if (this.#isAtPrompt) this.#device.write(`${prompt}${shown(this.#text)}`);
  }

  #echo(text: string): void {
    if (!this.#isAtPrompt) this.#device.write(prompt);
    this.#isAtPrompt = true;
    this.#device.write(shown(text));
  }

  #onInput(data: string): void {
    // oxlint-disable-next-line no-control-regex -- Marks of a paste begin with an escape.
    const [, pasted] = /^\u001b\[200~([^]*)\u001b\[201~$/.exec(data) ?? [];
    if (pasted !== undefined) return this.insert(pasted);
    const key = this.#input.nameOf(data);
    if (key === undefined) return;
    if (key === "escape" && this.#panel !== undefined) return this.#panel.onKey(key, "");
    if (this.#onEditKey(key) || this.#parts.onKey(key)) return;
    const text = this.#input.textOf(data);
    if (text !== "") this.insert(text);
  }

  #onEditKey(key: KeyName): boolean {
    switch (key) {
      case "enter":
        this.#submit();
        return true;
      case "shift+enter":
      case "ctrl+j":
        this.insert("\n");
        return true;
      case "backspace":
        this.#erase();
        return true;
      case "ctrl+u":
        this.setPrompt("");
        return true;
      case "up":
        this.#recall(-1);
        return true;
      case "down":
        this.#recall(1);
        return true;
      case "tab":
        background(this.#complete(), (thrown) => this.#say([`Error: ${reasonOf(thrown)}`]));
        return true;
      default:
        return false;
    }
  }

  #submit(): void {
    const text = this.#text.endsWith("\\") ? `${this.#text.slice(0, -1)}\n` : this.#text;
    if (text !== this.#text) return this.setPrompt(text);
    this.#text = "";
    if (this.#isAtPrompt) this.#device.write("\r\n");
    this.#isAtPrompt = false;
    const panel = this.#panel;
    if (panel === undefined) this.#parts.onSubmit(text);
    else panel.onLine(text);
    if (panel !== undefined && this.#panel === panel) this.#say(panel.plainLines());
    else if (text === "") this.#say([]);
  }

  #erase(): void {
    const [last] = Array.from(segmenter.segment(this.#text)).slice(-1);
    if (last === undefined) return;
    this.#text = this.#text.slice(0, last.index);
    const width = this.#input.widthOf(shown(last.segment));
    this.#device.write("\b \b".repeat(width));
  }

  #recall(by: number): void {
    const last = this.#history.length;
    this.#historyIndex = Math.max(0, Math.min(last, this.#historyIndex + by));
    this.setPrompt(this.#history[this.#historyIndex] ?? "");
  }

  async #complete(): Promise<void> {
    const before = this.#text;
    const found = await this.#parts.complete(before, new AbortController().signal);
    const items = found?.items ?? [];
    if (found === undefined || this.#text !== before) return;
    const [only] = items;
    if (only !== undefined && items.length === 1) {
      return this.setPrompt(`${before.slice(0, found.start)}${only.value}`);
    }
    const labels = items.slice(0, maxCompletions).map(({ label }) => label);
    this.#say([labels.length === 0 ? "Nothing to complete." : labels.join(", ")]);
  }
}

const segmenter = new Intl.Segmenter();

/** Line breaks of the prompt stay in its line. */
function shown(text: string): string {
  return text.replaceAll("\n", " / ");
}

function withoutColours(line: string): string {
  // oxlint-disable-next-line no-control-regex -- Colours begin with an escape.
  return line.replaceAll(/\u001b\[[\d;]*m/g, "");
}

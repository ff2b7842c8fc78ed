/** A terminal in memory. */
import xterm from "@xterm/headless";
import type { DeviceListener, TerminalDevice } from "../../src/terminal/screen/contracts.ts";

export interface HeadlessTerminal {
  readonly device: TerminalDevice;
  /** Lines of the window, without trailing spaces and empty lines at its end. */
  window(): readonly string[];
  /** Lines of the scrollback and the window. */
  everything(): readonly string[];
  /** Resolves once the window passes. Fails with the window after a while. */
  until(isShown: (lines: readonly string[]) => boolean): Promise<void>;
  /** Resolves once the window contains the text. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Types right after the program has written this text, before it continues with anything it waits for. */
  typeAfter(written: string, keys: string): void;
  /** Ends a suspension. */
  continue(): void;
  resize(columns: number, rows: number): void;
  readonly isOpen: () => boolean;
  /** True while the alternate screen is shown. */
  readonly isAlternate: () => boolean;
  /** Everything that was written. */
  written(): string;
  /** Resolves once nothing was written for a while. */
  settled(): Promise<void>;
  /** The emulator itself, with the colours of each cell. */
  readonly terminal: xterm.Terminal;
}

/** Longer than any frame is waited for. */
const quietMs = 200;

export function headlessTerminal({
  columns = 80,
  rows = 24,
  canSuspend = true,
} = {}): HeadlessTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 20_000,
    allowProposedApi: true,
    convertEol: false,
  });
  let listener: DeviceListener | undefined;
  let isOpen = false;
  let isAlternate = false;
  const continued = Promise.withResolvers<void>();
  let written = "";
  const early: string[] = [];
  const typedAfter: { readonly text: string; readonly keys: string }[] = [];
  const waiters = new Set<() => void>();
  const input = (text: string): void => {
    if (listener === undefined) early.push(text);
    else listener.input(text);
  };
  terminal.onData(input);
  const linesFrom = (start: number): readonly string[] => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length - start }, (_, index) =>
      (active.getLine(start + index)?.translateToString(true) ?? "").trimEnd(),
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  };
  const window = (): readonly string[] => linesFrom(terminal.buffer.active.baseY);
  const until = async (isShown: (lines: readonly string[]) => boolean): Promise<void> => {
    const deadline = Date.now() + 8_000;
    while (!isShown(window())) {
      if (Date.now() > deadline) throw new Error(`Not shown. The window:\n${window().join("\n")}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      const timer = setTimeout(resolve, 500);
      await promise;
      clearTimeout(timer);
      waiters.delete(resolve);
    }
  };
  return {
    device: {
      get columns() {
        return terminal.cols;
      },
      get rows() {
        return terminal.rows;
      },
      write: (text) => {
        written += text;
        const index = typedAfter.findIndex((typed) => text.includes(typed.text));
        // Not within the write: the program is drawing.
        for (const { keys } of index < 0 ? [] : typedAfter.splice(index, 1)) {
          queueMicrotask(() => input(keys));
        }
        terminal.write(text, () => waiters.forEach((wake) => wake()));
      },
      open: (kind) => {
        isOpen = true;
        isAlternate = kind === "fullscreen";
        if (isAlternate) terminal.write("\u001b[?1049h\u001b[H");
      },
      listen: (given) => {
        listener = given;
        for (const text of early.splice(0)) given.input(text);
      },
      close: () => {
        isOpen = false;
        if (isAlternate) terminal.write("\u001b[?1049l");
        isAlternate = false;
      },
      ...(canSuspend && {
        suspend: async () => {
          isOpen = false;
          listener = undefined;
          await continued.promise;
        },
      }),
    },
    continue: () => continued.resolve(),
    window,
    everything: () => linesFrom(0),
    until,
    shows: (text) => until((lines) => lines.join("\n").includes(text)),
    type: input,
    typeAfter: (text, keys) => typedAfter.push({ text, keys }),
    resize: (nextColumns, nextRows) => {
      terminal.resize(nextColumns, nextRows);
      listener?.resize();
    },
    isOpen: () => isOpen,
    isAlternate: () => terminal.buffer.active.type === "alternate",
    written: () => written,
    settled: async () => {
      for (let before = -1; before !== written.length;) {
        before = written.length;
        await new Promise((resolve) => setTimeout(resolve, quietMs));
      }
    },
    terminal,
  };
}

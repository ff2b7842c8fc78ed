/** The command on a terminal in memory, driven by keys. */
import xterm from "@xterm/headless";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { onTestFinished } from "vitest";
import type { ExitCode } from "../../src/commands/exit-code.ts";
import type { Io } from "../../src/process/io.ts";
import { run } from "../../src/process/run.ts";
import type { DeviceListener, TerminalDevice } from "../../src/terminal/contracts.ts";
import { memoryIo } from "../memory-io.ts";
import { choosing } from "../scripted-io.ts";

interface HeadlessTerminal {
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
  resize(columns: number, rows: number): void;
  readonly isOpen: () => boolean;
  /** Everything that was written. */
  written(): string;
}

function headlessTerminal({ columns = 80, rows = 24 } = {}): HeadlessTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 20_000,
    allowProposedApi: true,
    convertEol: false,
  });
  onTestFinished(() => terminal.dispose());
  let listener: DeviceListener | undefined;
  let isOpen = false;
  let written = "";
  const early: string[] = [];
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
        terminal.write(text, () => waiters.forEach((wake) => wake()));
      },
      open: () => {
        isOpen = true;
      },
      listen: (given) => {
        listener = given;
        for (const text of early.splice(0)) given.input(text);
      },
      close: () => {
        isOpen = false;
      },
    },
    window,
    everything: () => linesFrom(0),
    until,
    shows: (text) => until((lines) => lines.join("\n").includes(text)),
    type: input,
    resize: (nextColumns, nextRows) => {
      terminal.resize(nextColumns, nextRows);
      listener?.resize();
    },
    isOpen: () => isOpen,
    written: () => written,
  };
}

export interface OpenConversation extends HeadlessTerminal {
  readonly provider: ScriptedProvider;
  readonly exitCode: Promise<ExitCode>;
  readonly io: Io;
  /** Interrupts the process, as a signal does. */
  signal(): void;
}

/** Opens the conversation on a model that plays a script. It is left when the test ends. */
export function openConversation(
  script: readonly ScriptItem[],
  {
    argv = [],
    size = {},
    ...changes
  }: Partial<Io> & {
    readonly argv?: readonly string[];
    readonly size?: { readonly columns?: number; readonly rows?: number };
  } = {},
): OpenConversation {
  const terminal = headlessTerminal(size);
  const provider = scriptedProvider(script);
  const interruption = new AbortController();
  const io = memoryIo({
    chooseModel: choosing(provider),
    terminal: terminal.device,
    signal: interruption.signal,
    isTTY: true,
    ...changes,
  });
  const exitCode = run(argv, io);
  onTestFinished(async () => {
    interruption.abort();
    await exitCode;
  });
  return { ...terminal, provider, exitCode, io, signal: () => interruption.abort() };
}

export const key = {
  enter: "\r",
  altEnter: "\u001b\r",
  escape: "\u001b",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlJ: "\n",
  ctrlL: "\u000c",
  ctrlT: "\u0014",
  up: "\u001b[A",
  down: "\u001b[B",
  pageDown: "\u001b[6~",
  tab: "\t",
  backspace: "\u007f",
  altUp: "\u001b[1;3A",
} as const;

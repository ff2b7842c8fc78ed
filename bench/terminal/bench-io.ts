/** The command inside of this process, on a terminal that keeps what is written. */
import { systemClock } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import type { Io } from "../../packages/cli/src/process/io.ts";
import type { DeviceListener } from "../../packages/cli/src/terminal/screen/contracts.ts";

export interface BenchTerminal {
  readonly io: Io;
  type(keys: string): void;
  /** Resolves once the text was written after the last keys. */
  seen(text: string): Promise<void>;
  /** Characters that were written. */
  written(): number;
}

export interface BenchIoOptions {
  readonly home: string;
  readonly provider: ProviderContract;
  readonly tools?: readonly AnyTool[];
}

export function plainIo({ home, provider, tools = [] }: BenchIoOptions): Io {
  return {
    stdin: { kind: "none", read: async function* () {} },
    stdout: { isTTY: false, write: () => {} },
    stderr: { isTTY: false, write: () => {} },
    env: { CAPSTAN_MAX_STEPS: "10000" },
    platform: process.platform,
    home,
    cwd: home,
    signal: new AbortController().signal,
    interruptedCode: () => 130,
    clock: systemClock,
    chooseModel: () => ({ model: { provider, id: "" }, name: provider.id, reason: "a bench" }),
    tools,
  };
}

export function benchTerminal(options: BenchIoOptions): BenchTerminal {
  let listener: DeviceListener | undefined;
  let written = 0;
  let tail = "";
  const early: string[] = [];
  const waiting = new Set<(text: string) => void>();
  const type = (keys: string): void => {
    tail = "";
    if (listener === undefined) early.push(keys);
    else listener.input(keys);
  };
  const io: Io = {
    ...plainIo(options),
    terminal: {
      columns: 120,
      rows: 40,
      write: (text) => {
        written += text.length;
        const seen = `${tail}${text}`;
        tail = seen.slice(-200);
        for (const look of waiting) look(seen);
      },
      open: () => {},
      listen: (given) => {
        listener = given;
        for (const keys of early.splice(0)) given.input(keys);
      },
      close: () => {
        listener = undefined;
      },
    },
  };
  return {
    io,
    type,
    written: () => written,
    seen: (text) =>
      new Promise((resolve) => {
        const look = (output: string): void => {
          if (!output.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look(tail);
      }),
  };
}

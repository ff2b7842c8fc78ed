/** The command on a terminal in memory, driven by keys. */
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { onTestFinished } from "vitest";
import type { ExitCode } from "../../src/commands/exit-code.ts";
import type { Io } from "../../src/process/io.ts";
import { run } from "../../src/process/run.ts";
import { memoryIo } from "../memory-io.ts";
import { choosing } from "../scripted-io.ts";
import type { HeadlessTerminal } from "./headless-terminal.ts";
import { headlessTerminal } from "./headless-terminal.ts";

interface Headless extends HeadlessTerminal {
  readonly exitCode: Promise<ExitCode>;
  readonly io: Io;
  /** Interrupts the process, as a signal does. */
  signal(): void;
}

type HeadlessOptions = Partial<Io> & {
  readonly size?: { readonly columns?: number; readonly rows?: number };
  readonly canSuspend?: boolean;
};

/** Runs the command. It is left when the test ends. */
export function openHeadless(
  argv: readonly string[],
  { size = {}, canSuspend = true, ...changes }: HeadlessOptions = {},
): Headless {
  const terminal = headlessTerminal({ ...size, canSuspend });
  onTestFinished(() => terminal.terminal.dispose());
  const interruption = new AbortController();
  const io = memoryIo({
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
  return { ...terminal, exitCode, io, signal: () => interruption.abort() };
}

export interface OpenConversation extends Headless {
  readonly provider: ScriptedProvider;
}

/** Opens the conversation on a model that plays a script. */
export function openConversation(
  script: readonly ScriptItem[],
  { argv = [], ...options }: HeadlessOptions & { readonly argv?: readonly string[] } = {},
): OpenConversation {
  const provider = scriptedProvider(script);
  const terminal = openHeadless(argv, { chooseModel: choosing(provider), ...options });
  return { ...terminal, provider };
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
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  ctrlEnd: "\u001b[1;5F",
  ctrlR: "\u0012",
  ctrlV: "\u0016",
  ctrlZ: "\u001a",
  tab: "\t",
  backspace: "\u007f",
  altUp: "\u001b[1;3A",
} as const;

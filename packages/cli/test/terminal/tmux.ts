/** Real terminals: panes of a tmux server of their own, driven by keys. */
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { SpawnOptions } from "../spawn-command.ts";
import { environmentOf, shellWords } from "../spawn-command.ts";

export const hasTmux: boolean = spawnSync("tmux", ["-V"]).status === 0;

export interface Pane {
  /** Types text, or presses a key such as `Enter` or `C-c`. */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  /** Types these bytes, such as those of a key. */
  bytes(keys: string): void;
  /** Pastes as the terminal does, with marks. */
  paste(text: string): void;
  /** Lines of the window. */
  window(): string;
  /** Lines of the scrollback and the window. */
  everything(): string;
  /** Resolves once the window passes; fails with the window after a while. */
  until(isShown: (window: string) => boolean): Promise<void>;
  shows(text: string): Promise<void>;
  /** Resolves once the window does not have the text. */
  gone(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Process id of the shell of the pane. */
  pid(): number;
  /** True while the alternate screen is shown. */
  isAlternate(): boolean;
}

/** Runs the command in a shell of a pane. After it the shell prints `EXIT <code>` and the mode of the terminal. */
export function openPane(
  file: string,
  args: readonly string[],
  {
    columns = 90,
    rows = 30,
    hasJobs = false,
    ...options
  }: SpawnOptions & {
    readonly columns?: number;
    readonly rows?: number;
    /** True for a shell that the user types commands into: it can suspend them. */
    readonly hasJobs?: boolean;
  } = {},
): Pane {
  const server = `capstan-test-${randomUUID().slice(0, 8)}`;
  const env = { ...environmentOf(options), TERM: "xterm-256color", LANG: "C.UTF-8" };
  const socket = ["-L", server, "-f", "/dev/null"];
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", [...socket, ...words], { env, encoding: "utf8" });
  const size = ["-x", String(columns), "-y", String(rows)];
  const folder = options.cwd === undefined ? [] : ["-c", options.cwd];
  const script = `${shellWords(file, args)}; echo EXIT $?; stty -a | tr ' ' '\\n' | grep -x -e '-*icanon' -e '-*echo'; exec sh`;
  const shell = "PS1='shell> ' exec bash --norc --noprofile -i";
  tmux("new-session", "-d", "-s", "test", ...size, ...folder, hasJobs ? shell : script);
  if (hasJobs) tmux("send-keys", "-t", "test", "-l", `clear; ${shellWords(file, args)}\r`);
  onTestFinished(() => void spawnSync("tmux", ["-L", server, "kill-server"]));
  const window = (): string => tmux("capture-pane", "-p", "-t", "test");
  const until = async (isShown: (shown: string) => boolean): Promise<void> => {
    const deadline = Date.now() + 20_000;
    while (!isShown(window())) {
      if (Date.now() > deadline) throw new Error(`Not shown. The window:\n${window()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    press: (...keys) => void tmux("send-keys", "-t", "test", ...keys),
    bytes: (keys) => {
      const codes = Array.from(Buffer.from(keys), (byte) => byte.toString(16).padStart(2, "0"));
      tmux("send-keys", "-t", "test", "-H", ...codes);
    },
    paste: (text) => {
      execFileSync("tmux", [...socket, "load-buffer", "-"], { env, input: text });
      tmux("paste-buffer", "-p", "-t", "test");
    },
    type: (text) => void tmux("send-keys", "-t", "test", "-l", text),
    window,
    everything: () => tmux("capture-pane", "-p", "-S", "-", "-t", "test"),
    until,
    shows: (text) => until((shown) => shown.includes(text)),
    gone: (text) => until((shown) => !shown.includes(text)),
    resize: (x, y) => void tmux("resize-window", "-t", "test", "-x", String(x), "-y", String(y)),
    isAlternate: () =>
      tmux("display-message", "-p", "-t", "test", "#{alternate_on}").trim() === "1",
    pid: () => Number(tmux("display-message", "-p", "-t", "test", "#{pane_pid}").trim()),
  };
}

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
  /** Lines of the window. */
  window(): string;
  /** Lines of the scrollback and the window. */
  everything(): string;
  /** Resolves once the window passes; fails with the window after a while. */
  until(isShown: (window: string) => boolean): Promise<void>;
  shows(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Process id of the shell of the pane. */
  pid(): number;
}

/** Runs the command in a shell of a pane. After it the shell prints `EXIT <code>` and the mode of the terminal. */
export function openPane(
  file: string,
  args: readonly string[],
  { columns = 90, rows = 30, ...options }: SpawnOptions & { columns?: number; rows?: number } = {},
): Pane {
  const server = `capstan-test-${randomUUID().slice(0, 8)}`;
  const env = { ...environmentOf(options), TERM: "xterm-256color", LANG: "C.UTF-8" };
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...words], { env, encoding: "utf8" });
  const size = ["-x", String(columns), "-y", String(rows)];
  const folder = options.cwd === undefined ? [] : ["-c", options.cwd];
  const script = `${shellWords(file, args)}; echo EXIT $?; stty -a | tr ' ' '\\n' | grep -x -e '-*icanon' -e '-*echo'; exec sh`;
  tmux("new-session", "-d", "-s", "test", ...size, ...folder, script);
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
    type: (text) => void tmux("send-keys", "-t", "test", "-l", text),
    window,
    everything: () => tmux("capture-pane", "-p", "-S", "-", "-t", "test"),
    until,
    shows: (text) => until((shown) => shown.includes(text)),
    resize: (x, y) => void tmux("resize-window", "-t", "test", "-x", String(x), "-y", String(y)),
    pid: () => Number(tmux("display-message", "-p", "-t", "test", "#{pane_pid}").trim()),
  };
}

/** The terminal of this process. */
import type { TerminalDevice } from "../terminal/contracts.ts";

/** Bracketed paste, Kitty's keys, other keys, synchronized output, cursor and colours, as they were. */
const restored = "\u001b[?2026l\u001b[?2004l\u001b[<u\u001b[>4;0m\u001b[?25h\u001b[0m";

/** Undefined if input or output is no terminal. */
export function processTerminal(): TerminalDevice | undefined {
  const { stdin, stdout } = process;
  // Node's types declare it as always present; on a pipe it is missing.
  if (!isTerminal(stdout) || process.env["TERM"] === "dumb" || !isTerminal(stdin)) return undefined;
  let isOpen = false;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(restored);
    stdin.setRawMode(false);
    stdin.pause();
  };
  return {
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    write: (text) => void stdout.write(text),
    open: () => {
      isOpen = true;
      stdin.setRawMode(true);
      // Whatever ends the process, the terminal is restored.
      process.on("exit", close);
    },
    listen: ({ input, resize }) => {
      stdin.setEncoding("utf8");
      stdin.on("data", input);
      stdout.on("resize", resize);
    },
    close,
  };
}

function isTerminal({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return isTTY === true;
}

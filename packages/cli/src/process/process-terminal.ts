/** The terminal of this process. */
import type { DeviceListener, ScreenKind, TerminalDevice } from "../terminal/screen/contracts.ts";

/** Bracketed paste, Kitty's keys, other keys, synchronized output, cursor and colours, as they were. */
const restored = "\u001b[?2026l\u001b[?2004l\u001b[<u\u001b[>4;0m\u001b[?25h\u001b[0m";
/** The alternate screen, and reports of mouse buttons and the wheel. */
const alternate = "\u001b[?1049h\u001b[?1000h\u001b[?1006h\u001b[2J\u001b[H";
const alternateRestored = "\u001b[?1006l\u001b[?1000l\u001b[?1049l";

/** If the process could not be stopped, it continues after this time. */
const stopMs = 200;

/** Undefined if input or output is no terminal. */
export function processTerminal(): TerminalDevice | undefined {
  const { stdin, stdout } = process;
  // Node's types declare it as always present; on a pipe it is missing.
  if (!isTerminal(stdout) || process.env["TERM"] === "dumb" || !isTerminal(stdin)) return undefined;
  let kind: ScreenKind | undefined;
  let listener: DeviceListener | undefined;
  const onInput = (text: string): void => listener?.input(text);
  const onResize = (): void => listener?.resize();
  const close = (): void => {
    if (kind === undefined) return;
    // In the reverse order of `open`: keys are restored on the screen that they were changed on.
    stdout.write(`${restored}${kind === "fullscreen" ? alternateRestored : ""}`);
    kind = undefined;
    listener = undefined;
    stdin.off("data", onInput);
    stdout.off("resize", onResize);
    stdin.setRawMode(false);
    stdin.pause();
  };
  /** Another process has stopped this one, and the shell has changed the terminal since. */
  const onContinue = (): void => {
    if (kind === undefined) return;
    // Only a change is passed on to the system.
    stdin.setRawMode(false).setRawMode(true);
    if (kind === "fullscreen") stdout.write(alternate);
    listener?.continued();
  };
  const suspend = async (): Promise<void> => {
    close();
    const { promise, resolve } = Promise.withResolvers<void>();
    process.once("SIGCONT", resolve);
    // Without a shell that controls jobs, the system ignores the signal.
    const timer = setTimeout(resolve, stopMs);
    // The whole group, as the terminal does it: a shell waits for all of its processes.
    process.kill(0, "SIGTSTP");
    await promise;
    process.off("SIGCONT", resolve);
    clearTimeout(timer);
  };
  return {
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    write: (text) => void stdout.write(text),
    open: (opened) => {
      if (kind === undefined && opened === "fullscreen") stdout.write(alternate);
      kind = opened;
      stdin.setRawMode(true);
      // Whatever ends the process, the terminal is restored.
      process.off("exit", close).on("exit", close);
      process.off("SIGCONT", onContinue).on("SIGCONT", onContinue);
    },
    listen: (given) => {
      listener = given;
      stdin.setEncoding("utf8");
      stdin.on("data", onInput);
      stdout.on("resize", onResize);
      stdin.resume();
    },
    close,
    ...(process.platform !== "win32" && { suspend }),
  };
}

function isTerminal({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return isTTY === true;
}

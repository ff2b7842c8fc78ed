/** The first frame, drawn before any package is loaded. */
import { version } from "../../command-line/version.ts";
import type { ScreenKind, TerminalDevice } from "./contracts.ts";

/** Title of the conversation: it stays in the scrollback. */
function titleOf(isColoured: boolean): string {
  const text = `capstan ${version}`;
  return isColoured ? `\u001b[1m${text}\u001b[22m` : text;
}

const prompt = "> ";

/** Takes the terminal, and shows a title and an empty prompt. Keys that come now are kept for the prompt. */
export function drawFirstFrame(
  device: TerminalDevice,
  kind: ScreenKind,
  isColoured: boolean,
): void {
  device.open(kind);
  const title = titleOf(isColoured && kind !== "lines");
  // Pastes are marked from now on.
  device.write(`\u001b[?2004h${title}\r\n${kind === "lines" ? "" : prompt}`);
}

/** Removes the empty prompt, so that the screen can begin on its line. */
export function removeFirstPrompt(device: TerminalDevice, kind: ScreenKind): void {
  if (kind === "main") device.write("\r\u001b[2K");
  else if (kind === "fullscreen") device.write("\u001b[2J\u001b[H");
}

/** The first frame, drawn before any package is loaded. */
import { version } from "../command-line/version.ts";
import type { TerminalDevice } from "./contracts.ts";

/** Title of the conversation: it stays in the scrollback. */
function titleOf(isColoured: boolean): string {
  const text = `capstan ${version}`;
  return isColoured ? `\u001b[1m${text}\u001b[22m` : text;
}

const prompt = "> ";

/** Takes the terminal, and shows a title and an empty prompt. Keys that come now are kept for the prompt. */
export function drawFirstFrame(device: TerminalDevice, isColoured: boolean): void {
  device.open();
  device.write(`${titleOf(isColoured)}\r\n\r\n${prompt}`);
}

/** Removes the empty prompt, so that the screen can begin on its line. */
export function removeFirstPrompt(device: TerminalDevice): void {
  device.write("\r\u001b[2K");
}

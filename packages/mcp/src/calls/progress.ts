/** Progress of a call, as people read it. */
import { cleanText } from "../elicitation/clean-text.ts";

const maxChars = 1_000;

export function describeProgress(progress: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): string {
  const { progress: done, total, message } = progress;
  const amount = total === undefined ? String(done) : `${done}/${total}`;
  const shown = message === undefined ? "" : cleanText(message, maxChars);
  return shown === "" ? `${amount}\n` : `${amount} ${shown}\n`;
}

export function describeStatus(status: string): string {
  return `${cleanText(status, maxChars)}\n`;
}

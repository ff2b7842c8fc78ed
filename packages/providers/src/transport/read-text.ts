/** Reads the text of a body, with limits on size and time. */
import { Utf8Decoder } from "../sse/utf8-decoder.ts";

type Body = ReadableStream<Uint8Array> | null;

/** Reads at most `maxChars`. Rethrows read errors. */
export async function readText(body: Body, maxChars: number): Promise<string> {
  return body === null ? "" : read(body.getReader(), maxChars);
}

/** Reads a body that explains a failure: returns what has arrived if the rest is late or fails. */
export async function readExplanation(
  body: Body,
  maxChars: number,
  timeoutMs: number,
): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  let text = "";
  const timeout = setTimeout(() => cancel(reader), timeoutMs);
  try {
    return await read(reader, maxChars, (soFar) => (text = soFar));
  } catch {
    // The status is known, and matters more than why its explanation is missing.
    return text;
  } finally {
    clearTimeout(timeout);
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxChars: number,
  onText?: (text: string) => void,
): Promise<string> {
  const utf8 = new Utf8Decoder();
  let text = "";
  while (text.length < maxChars) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += utf8.decode(value);
    onText?.(text);
  }
  cancel(reader);
  return text.slice(0, maxChars);
}

/** Also ends a pending read. No caller awaits the rest, so its failure does not matter. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  // The rest is not wanted, so a failure to stop it changes nothing.
  reader.cancel().catch(() => {});
}

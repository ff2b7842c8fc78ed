/** The text of a body that may be larger, or slower, than anybody wants to wait for. */
import { Utf8Decoder } from "../sse/utf8-decoder.ts";

type Body = ReadableStream<Uint8Array> | null;

/** At most `maxChars` of it. Throws what the reading throws. */
export async function readText(body: Body, maxChars: number): Promise<string> {
  return body === null ? "" : read(body.getReader(), maxChars);
}

/** The same, of a body that only explains a failure: half of it will do, if the rest does not come in time or at all. */
export async function readExplanation(
  body: Body,
  maxChars: number,
  patienceMs: number,
): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  let text = "";
  const timeout = setTimeout(() => cancel(reader), patienceMs);
  try {
    return await read(reader, maxChars, (soFar) => (text = soFar));
  } catch {
    // The status has come, and says more than the reason why its explanation is missing.
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

/** Ends a read that is under way, too. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  // The rest is not wanted, so a failure to stop it changes nothing.
  reader.cancel().catch(() => {});
}

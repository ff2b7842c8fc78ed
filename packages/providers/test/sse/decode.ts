/** Decodes a whole stream that comes in pieces. */
import type { SseDecoderOptions, SseEvent } from "../../src/sse/sse-decoder.ts";
import { SseDecoder } from "../../src/sse/sse-decoder.ts";

export function decodeAll(
  chunks: readonly Uint8Array[],
  options: SseDecoderOptions = {},
): readonly SseEvent[] {
  const decoder = new SseDecoder(options);
  const events: SseEvent[] = [];
  for (const chunk of chunks) decoder.take(chunk, events);
  decoder.end(events);
  return events;
}

export function decodeText(text: string): readonly SseEvent[] {
  return decodeAll([bytesOf(text)]);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Every byte a piece of its own. */
export function byteByByte(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

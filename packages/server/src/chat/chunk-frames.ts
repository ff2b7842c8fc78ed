/** Chunks as server-sent events. */
import type { Chunk } from "@capstan/log/chat";

/** Last frame of a stream. */
export const doneFrame = "data: [DONE]\n\n";

export function chunkFrames(chunks: readonly Chunk[], cursor?: string): string {
  if (chunks.length === 0) return "";
  const id = cursor === undefined ? "" : `id: ${cursor}\n`;
  return chunks.map((chunk) => `${id}data: ${JSON.stringify(chunk)}\n\n`).join("");
}

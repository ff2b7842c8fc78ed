/** Reads server-sent events from a response. */

export interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

/** Yields each complete frame that has data, until the signal fires. An incomplete last frame is dropped, as the standard demands. `onBytes` is also called for comments. */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
): AsyncGenerator<Frame> {
  const reader = body.getReader();
  // Servers expect readers to leave, so a failure to cancel changes nothing.
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  const decoder = new TextDecoder();
  // Unfinished frame. Each piece is scanned once: scanning the whole frame again with every piece would be quadratic.
  let open = "";
  // A newline at the end of a piece: the next piece may turn it into an empty line.
  let newline = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onBytes();
      const blocks = (newline + decoder.decode(value, { stream: true })).split("\n\n");
      const rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const frame = toFrame(open + block);
        open = "";
        if (frame !== undefined) yield frame;
      }
      newline = rest.endsWith("\n") ? "\n" : "";
      open += rest.slice(0, rest.length - newline.length);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

function toFrame(block: string): Frame | undefined {
  let id: string | undefined;
  let data: string | undefined;
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  return data === undefined ? undefined : { id, data };
}

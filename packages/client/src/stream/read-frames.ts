/** Server-sent events out of a response. */

export interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

/** Each frame that has data and came whole, up to the signal. What is cut off at the end was never sent, says the standard. `onBytes` is told of comments, too. */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
): AsyncGenerator<Frame> {
  const reader = body.getReader();
  // Leaving is a matter of course to the other side.
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  const decoder = new TextDecoder();
  // A frame that has not ended. It is put together once: to look through it with every piece would take time by its square.
  let open = "";
  // The last newline of a piece waits for the next, which may make an empty line of it.
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

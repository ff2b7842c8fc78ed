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
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      let end: number;
      while ((end = text.indexOf("\n\n")) !== -1) {
        const frame = toFrame(text.slice(0, end));
        text = text.slice(end + 2);
        if (frame !== undefined) yield frame;
      }
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

/** Drains a stream after its reply is complete. */

/** How long to wait for the end of the stream. */
const drainMs = 1_000;

/** Reads to the end, which is near: a connection is reused only if its body was read completely. */
export function leaveStream(reader: ReadableStreamDefaultReader<unknown>): void {
  const timeout = setTimeout(() => {
    // The reply is complete: failures of the rest do not matter.
    reader.cancel().catch(() => {});
  }, drainMs);
  // A number in browsers; in Node it must not keep the process alive.
  if (typeof timeout === "object") timeout.unref();
  const stop = (): void => clearTimeout(timeout);
  drain(reader).then(stop, stop);
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

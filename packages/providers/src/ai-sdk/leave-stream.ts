/** What becomes of a stream whose reply is whole. */

/** How long its end is waited for. */
const drainMs = 1_000;

/** A connection serves again only if its body was read to the end, which is near. */
export function leaveStream(reader: ReadableStreamDefaultReader<unknown>): void {
  const timeout = setTimeout(() => {
    // The reply is whole: nobody cares what comes of the rest.
    reader.cancel().catch(() => {});
  }, drainMs);
  // A number in browsers; in Node it must not keep the process.
  if (typeof timeout === "object") timeout.unref();
  const stop = (): void => clearTimeout(timeout);
  drain(reader).then(stop, stop);
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

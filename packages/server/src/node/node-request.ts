/** Converts Node's requests to web requests. */
import type { IncomingMessage } from "node:http";

/** Throws if no `Request` can be created. */
export function toRequest(incoming: IncomingMessage): Request {
  const { url = "", method = "GET", rawHeaders } = incoming;
  // An absolute URL is for proxies, and `*` is not supported.
  if (!url.startsWith("/")) throw new TypeError("not a path");
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://node.invalid${url}`, {
    method,
    headers,
    // Half duplex: the response comes after the body was read. The types of browsers lack this.
    ...(hasBody && { body: toBody(incoming), duplex: "half" }),
  });
}

/** Node's own conversion closes the socket when the body is no longer read, and then no response can be sent. */
function toBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isOver = false;
  const once = (settle: () => void): void => {
    if (!isOver) settle();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on("data", (piece: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(piece);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => once(() => controller.close()));
        incoming.on("error", (error) => once(() => controller.error(error)));
        incoming.on("close", () => once(() => controller.error(new Error("closed too early"))));
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        isOver = true;
        // Discard the rest.
        incoming.resume();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  );
}

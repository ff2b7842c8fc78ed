/** A request of Node's as the web has it. */
import type { IncomingMessage } from "node:http";

/** Throws for one that no `Request` can be made of. */
export function toRequest(incoming: IncomingMessage): Request {
  const { url = "", method = "GET", rawHeaders } = incoming;
  // A whole address in its place is for proxies, and `*` for nobody.
  if (!url.startsWith("/")) throw new TypeError("not a path");
  const headers = new Headers();
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    headers.append(rawHeaders[place] ?? "", rawHeaders[place + 1] ?? "");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://node.invalid${url}`, {
    method,
    headers,
    // Half duplex: the answer comes when the body was read. The types of browsers do not know it.
    ...(hasBody && { body: toBody(incoming), duplex: "half" }),
  });
}

/** Node's own conversion closes the socket when somebody stops reading, and with it the way back for the answer. */
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
        // The rest is dropped.
        incoming.resume();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  );
}

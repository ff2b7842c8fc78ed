/** Converts Node's requests to web requests. */
import type { IncomingMessage } from "node:http";
import { ServerError } from "../guard/server-error.ts";

/** `body` is the body, if it has been read. Throws if no `Request` can be created, and `body_consumed` if the body was read and is not there. */
export function toRequest(incoming: IncomingMessage, body?: unknown): Request {
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
    ...(hasBody && { body: bodyOf(incoming, body), duplex: "half" }),
  });
}

function bodyOf(
  incoming: IncomingMessage & { readonly body?: unknown },
  given: unknown,
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string {
  if (!incoming.readableDidRead && !incoming.readableEnded) return toBody(incoming);
  // Express passes its `next` as the third argument.
  const read = typeof given === "function" ? incoming.body : (given ?? incoming.body);
  if (read === undefined) throw bodyConsumed();
  // Bytes of a `Buffer` are never shared memory.
  if (read instanceof Uint8Array) return read as Uint8Array<ArrayBuffer>;
  return typeof read === "string" ? read : JSON.stringify(read);
}

function bodyConsumed(): ServerError {
  return new ServerError(
    "body_consumed",
    "The body was read before the request reached this server, and `request.body` is not set: mount the server's handler before body parsers, or pass the body to the handler as its third argument",
  );
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

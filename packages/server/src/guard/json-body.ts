/** Reads the body of a request as JSON, with limits on size and depth. */
import type { BodyShare } from "./body-budget.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { ServerLimits } from "./limits.ts";
import { ServerError, invalidRequest } from "./server-error.ts";

type BodyLimits = Pick<ServerLimits, "maxBodyBytes" | "maxJsonDepth" | "maxJsonValues">;

/** Yields to other work after this many bytes. */
const bytesAtOnce = 1_000_000;

/** Counts bytes in `share` as they arrive. The caller must give the share back. */
export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
  share: BodyShare,
): Promise<unknown> {
  requireJson(request);
  const pieces = await readPieces(request, limits, share);
  const text = decode(pieces);
  if (text.length > bytesAtOnce) await otherWork();
  const value = parse(text);
  if (text.length > bytesAtOnce) await otherWork();
  return value;
}

function otherWork(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** A web page can send a form or plain text to another origin without a preflight request, but not JSON. */
function requireJson({ headers }: Request): void {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new ServerError(
    "unsupported_media_type",
    "Unsupported media type: send JSON with the header content-type: application/json",
  );
}

async function readPieces(
  request: Request,
  limits: BodyLimits,
  share: BodyShare,
): Promise<readonly Uint8Array[]> {
  const { maxBodyBytes } = limits;
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) {
    throw tooLarge(maxBodyBytes);
  }
  const scanner = new JsonScanner(limits);
  const pieces: Uint8Array[] = [];
  let size = 0;
  let sizeAtPause = 0;
  for await (const piece of bytesOf(request)) {
    size += piece.byteLength;
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
    share.take(piece.byteLength);
    scanner.scan(piece);
    pieces.push(piece);
    if (size - sizeAtPause < bytesAtOnce) continue;
    sizeAtPause = size;
    await otherWork();
  }
  return pieces;
}

async function* bytesOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    // The standard makes it iterable; the types of browsers lack that.
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ServerError("invalid_request", "The body ended early", { cause });
  }
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return (
      pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode()
    );
  } catch {
    throw invalidRequest("The body is not valid UTF-8");
  }
}

function parse(text: string): unknown {
  if (text.trim() === "") throw invalidRequest("The body is empty: send a JSON object");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidRequest("The body is not valid JSON");
  }
}

function tooLarge(maxBytes: number): ServerError {
  return new ServerError("body_too_large", `The body exceeds ${maxBytes} bytes`);
}

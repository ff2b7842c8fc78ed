/** The body of a request, as JSON that is not too large and not too deep. */
import type { ServerLimits } from "./limits.ts";
import { ServerError, invalidRequest } from "./server-error.ts";

type BodyLimits = Pick<ServerLimits, "maxBodyBytes" | "maxJsonDepth" | "maxJsonValues">;

export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  requireJson(request);
  const text = await readText(request, limits.maxBodyBytes);
  const value = parse(text);
  checkSize(value, limits);
  return value;
}

/** Before anybody looks closer: whoever finds something wrong at every place of a long list says so for every place. */
function checkSize(value: unknown, { maxJsonDepth, maxJsonValues }: BodyLimits): void {
  let values = 0;
  // Recursion is safe here: it ends at the last level that is allowed.
  const visit = (inner: unknown, level: number): void => {
    values += 1;
    if (values > maxJsonValues)
      throw invalidRequest(`The body has more than ${maxJsonValues} values`);
    if (typeof inner !== "object" || inner === null) return;
    if (level === maxJsonDepth) {
      throw invalidRequest(`The body is nested deeper than ${maxJsonDepth} levels`);
    }
    for (const item of Object.values(inner)) visit(item, level + 1);
  };
  visit(value, 0);
}

/** A web page can send a form or a text to another origin without being asked; JSON it cannot. */
function requireJson({ headers }: Request): void {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new ServerError(
    "unsupported_media_type",
    "Bodies are JSON here: send the header content-type: application/json",
  );
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytesOf(request)) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return decode(pieces);
}

async function* bytesOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    // The standard says that it can be iterated; the types of browsers do not know it.
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ServerError("invalid_request", "The body was cut off", { cause });
  }
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return (
      pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode()
    );
  } catch {
    throw invalidRequest("The body is not UTF-8");
  }
}

function parse(text: string): unknown {
  if (text.trim() === "") throw invalidRequest("The body is empty: send a JSON object");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidRequest("The body is not JSON");
  }
}

function tooLarge(maxBytes: number): ServerError {
  return new ServerError("body_too_large", `The body has more than ${maxBytes} bytes`);
}

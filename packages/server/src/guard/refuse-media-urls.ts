/** Rejects media by URL, unless the server allows it. */
import { invalidRequest } from "./server-error.ts";

/** Fields that contain parts. Everything else in a body is the client's own JSON. */
const fields = ["input", "answers", "context", "messages", "content", "output"] as const;

/** Throws `invalid_request` for a part with a URL, anywhere in a validated body. */
export function refuseMediaUrls(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (Array.isArray(body)) {
    for (const item of body) refuseMediaUrls(item);
    return;
  }
  const { type, url } = body as Readonly<Record<string, unknown>>;
  if ((type === "image" || type === "document") && url !== undefined) {
    throw invalidRequest(`Media by URL is not allowed: send the ${type} as base64 in \`data\``);
  }
  for (const field of fields) {
    if (Object.hasOwn(body, field)) {
      refuseMediaUrls((body as Readonly<Record<string, unknown>>)[field]);
    }
  }
}

/** Keeps media by URL out, unless the server allows it. */
import { invalidRequest } from "./server-error.ts";

/** Fields that lead to parts. What else a body has is JSON of the client's own. */
const fields = ["input", "answers", "context", "messages", "content", "output"] as const;

/** Throws `invalid_request` for a part that is given by its URL, anywhere in a body that fits its schema. */
export function refuseMediaUrls(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (Array.isArray(body)) {
    for (const item of body) refuseMediaUrls(item);
    return;
  }
  const { type, url } = body as Readonly<Record<string, unknown>>;
  if ((type === "image" || type === "document") && url !== undefined) {
    throw invalidRequest(
      `Media by URL is not allowed here: send the ${type} as base64 in its data`,
    );
  }
  for (const field of fields) {
    if (Object.hasOwn(body, field)) {
      refuseMediaUrls((body as Readonly<Record<string, unknown>>)[field]);
    }
  }
}

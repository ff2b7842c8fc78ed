/** A reply that came whole, as the parts that a stream of it would have had. */
import type { Fields } from "./fields.ts";
import { isFields, unreadablePart } from "./fields.ts";

export function partsOfWhole(reply: unknown): readonly unknown[] {
  if (!isFields(reply) || !Array.isArray(reply["content"])) {
    throw unreadablePart("is no reply: it has no content", reply);
  }
  const { content, warnings, response, finishReason, usage, providerMetadata } = reply;
  return [
    { type: "stream-start", warnings },
    ...(isFields(response) ? [{ ...response, type: "response-metadata" }] : []),
    ...content.flatMap((part: unknown, place) => partsOfContent(part, String(place))),
    { type: "finish", finishReason, usage, providerMetadata },
  ];
}

function partsOfContent(part: unknown, id: string): readonly unknown[] {
  if (!isFields(part) || !isProse(part)) return [part];
  const { type, text } = part;
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { ...part, type: `${type}-end`, id },
  ];
}

function isProse(part: Fields): part is { readonly type: "text" | "reasoning"; text: unknown } {
  return part["type"] === "text" || part["type"] === "reasoning";
}

/** Splits a complete reply into the parts a stream would have delivered. */
import type { Fields } from "./fields.ts";
import { isFields, unreadablePart } from "./fields.ts";

export function partsOfWhole(reply: unknown): readonly unknown[] {
  if (!isFields(reply) || !Array.isArray(reply["content"])) {
    throw unreadablePart("is not a reply: it has no content", reply);
  }
  const { content, warnings, response, finishReason, usage, providerMetadata } = reply;
  return [
    { type: "stream-start", warnings },
    ...(isFields(response) ? [{ ...response, type: "response-metadata" }] : []),
    ...content.flatMap((part: unknown, index) => partsOfContent(part, String(index))),
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

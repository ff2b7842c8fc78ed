/** How deep JSON may be: what is much deeper can be read, and then neither written nor walked through without an overflow of the stack. */
import type { JsonValue } from "../contracts/conversation.ts";

const maxDepth = 500;

/** Whether a text of this length may hold more levels than that: each takes an opening and a closing character. */
export function mayBeTooDeep(json: string): boolean {
  return json.length > 2 * maxDepth;
}

export function isTooDeep(value: JsonValue): boolean {
  return isDeeper(value, maxDepth);
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner: JsonValue) => isDeeper(inner, levels - 1));
}

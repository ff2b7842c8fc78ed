/** Limit on the depth of JSON: much deeper values can be parsed, but not written or traversed without a stack overflow. */
import type { JsonValue } from "../contracts/conversation.ts";

const maxDepth = 500;

/** Whether a text of this length may exceed the limit: each level takes an opening and a closing character. */
export function mayBeTooDeep(json: string): boolean {
  return json.length > 2 * maxDepth;
}

/** Returns whether the value is nested more deeply than the runtime accepts. */
export function isTooDeep(value: JsonValue): boolean {
  return isDeeper(value, maxDepth);
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner: JsonValue) => isDeeper(inner, levels - 1));
}

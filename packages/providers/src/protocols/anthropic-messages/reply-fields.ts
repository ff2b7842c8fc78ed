/** Reads required fields of a reply. A missing field is a protocol error. */
import { ProviderError } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** Error for an invalid reply. `what` continues the sentence after the API's name. */
export function protocolError(what: string, cause?: unknown): ProviderError {
  return new ProviderError(
    "protocol",
    `The Anthropic Messages API ${what}: its reply cannot be decoded. If the base URL points to another server, check that it implements this API`,
    { cause },
  );
}

export function needObject(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  if (isObject(value)) return value;
  throw missing(parent, key, "object");
}

export function needText(parent: JsonObject, key: string): string {
  const text = textAt(parent, key);
  if (text !== undefined) return text;
  throw missing(parent, key, "text");
}

export function needIndex(parent: JsonObject): number {
  const { index } = parent;
  if (typeof index === "number") return index;
  throw missing(parent, "index", "number");
}

function missing(parent: JsonObject, key: string, wanted: string): ProviderError {
  const type = textAt(parent, "type");
  const where = type === undefined ? "in its reply" : `in "${type.slice(0, 50)}"`;
  return protocolError(`sent no ${wanted} as "${key}" ${where}`);
}

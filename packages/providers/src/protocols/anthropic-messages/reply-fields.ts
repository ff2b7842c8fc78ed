/** Fields that a reply of this protocol has to have. One that lacks them is an error of the protocol. */
import { ProviderError } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** The reply makes no sense. `what` goes on after the name of the API. */
export function protocolError(what: string, cause?: unknown): ProviderError {
  return new ProviderError(
    "protocol",
    `The Anthropic Messages API ${what}: its reply cannot be read. If the base URL leads to another server, check that it speaks this API`,
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

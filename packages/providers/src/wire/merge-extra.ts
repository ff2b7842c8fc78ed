/** Merges the caller's vendor options into a request. */
import type { JsonValue, ProviderStreamOptions } from "@capstan/kernel";
import type { JsonObject } from "./wire-json.ts";
import { isObject, listOf } from "./wire-json.ts";

/** The caller's options for one vendor. Options for other vendors are ignored. */
export function vendorOptionsOf(
  { providerOptions = {} }: ProviderStreamOptions,
  providerId: string,
): JsonObject {
  const given = Object.hasOwn(providerOptions, providerId) ? providerOptions[providerId] : {};
  const stated = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  // Undefined values have been removed.
  return Object.fromEntries(stated) as JsonObject;
}

/** Lists the caller can only add to: if ours were replaced, replies could no longer be decoded or sent back. */
const unitedLists: readonly string[] = ["include"];

/**
 * `extra` wins field by field, except for fields `reserved` to the protocol. An object is merged into ours (`thinking: { display }`), unless it
 * has another `type`; `null` removes ours. `tools` come after ours. A tool with the name of one of ours is merged into it (`strict`,
 * `allowed_callers`), or replaces it if it is vendor-defined (`{ type: "computer_20250124", name: "computer" }`); its calls still go to our
 * tool of that name.
 */
export function mergeExtra(
  body: JsonObject,
  extra: JsonObject,
  reserved: readonly string[],
): JsonObject {
  const merged: Record<string, JsonValue> = { ...body };
  for (const [key, value] of Object.entries(extra)) {
    if (reserved.includes(key)) continue;
    if (value === null) delete merged[key];
    else if (key === "tools") merged[key] = mergeTools(listOf(body[key]), listOf(value));
    else if (unitedLists.includes(key)) merged[key] = united(listOf(body[key]), listOf(value));
    else merged[key] = mergeOption(body[key], value);
  }
  return merged;
}

function united(ours: readonly JsonValue[], theirs: readonly JsonValue[]): JsonValue[] {
  return [...new Set([...ours, ...theirs])];
}

function mergeOption(ours: JsonValue | undefined, theirs: JsonValue): JsonValue {
  if (!isObject(ours) || !isObject(theirs)) return theirs;
  const isSameType = theirs["type"] === undefined || theirs["type"] === ours["type"];
  if (!isSameType) return theirs;
  const merged: Record<string, JsonValue> = { ...ours };
  for (const [key, value] of Object.entries(theirs)) {
    if (value === null) delete merged[key];
    else if (value !== undefined) merged[key] = mergeOption(ours[key], value);
  }
  return merged;
}

function mergeTools(ours: readonly JsonValue[], theirs: readonly JsonValue[]): JsonValue[] {
  const added = theirs.filter((tool) => !ours.some((own) => isNamesake(own, tool)));
  const kept = ours.map((own) => {
    const namesake = theirs.find((tool) => isNamesake(own, tool));
    return namesake === undefined ? own : mergeOption(own, namesake);
  });
  return [...kept, ...added];
}

function isNamesake(one: JsonValue, other: JsonValue): boolean {
  return (
    isObject(one) && isObject(other) && one["name"] !== undefined && one["name"] === other["name"]
  );
}

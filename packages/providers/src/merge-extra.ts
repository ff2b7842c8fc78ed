/** The caller's own options for a vendor, on top of a request. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "./wire-json.ts";
import { isObject, listOf } from "./wire-json.ts";

/**
 * `extra` wins, but for what is `reserved` to the protocol. An object adds to ours (`thinking: { display }`), unless it is of another
 * `type`; `null` takes ours away. `tools` stand behind ours. One that has a name of ours adds to it (`strict`, `allowed_callers`), or
 * replaces it if it is one that the vendor has defined (`{ type: "computer_20250124", name: "computer" }`), while the call still comes to
 * the tool of that name.
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
    else merged[key] = mergeOption(body[key], value);
  }
  return merged;
}

function mergeOption(ours: JsonValue | undefined, theirs: JsonValue): JsonValue {
  if (!isObject(ours) || !isObject(theirs)) return theirs;
  const isSameType = theirs["type"] === undefined || theirs["type"] === ours["type"];
  return isSameType ? { ...ours, ...theirs } : theirs;
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

/** Layers of vendor options, the later ones over the earlier. */
import type { JsonValue } from "../contracts/conversation.ts";
import type { ProviderOptionsByVendor } from "../contracts/provider.ts";

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Field by field: a later object adds to an earlier one, anything else takes its place, and `undefined` leaves it. `null` stays, as it
 * removes what the protocol would send. Returns undefined if there are no options.
 */
export function mergeProviderOptions(
  ...layers: readonly (ProviderOptionsByVendor | undefined)[]
): ProviderOptionsByVendor | undefined {
  const given = layers.filter((layer) => layer !== undefined);
  if (given.length < 2) return given[0];
  // Objects of objects of JSON stay so.
  return (given as readonly Fields[]).reduce(merged) as ProviderOptionsByVendor;
}

function merged(earlier: Fields, later: Fields): Fields {
  const fields = new Map(Object.entries(earlier));
  for (const [name, value] of Object.entries(later)) {
    const before = fields.get(name);
    if (isObject(before) && isObject(value)) fields.set(name, merged(before, value) as JsonValue);
    else if (value !== undefined) fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

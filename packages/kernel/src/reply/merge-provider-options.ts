/** Merges layers of vendor options; later layers win. */
import type { JsonValue } from "../contracts/conversation.ts";
import type { ProviderOptionsByVendor } from "../contracts/provider.ts";

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Merges field by field: a later object is merged into an earlier one, any other value replaces it, and `undefined` keeps it. `null` stays,
 * because it removes a field that the protocol would send. Returns undefined if there are no options.
 */
export function mergeProviderOptions(
  ...layers: readonly (ProviderOptionsByVendor | undefined)[]
): ProviderOptionsByVendor | undefined {
  const given = layers.filter((layer) => layer !== undefined);
  if (given.length < 2) return given[0];
  // Merging objects of JSON gives objects of JSON.
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

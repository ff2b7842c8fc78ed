/** Vendor options as the log stores them: JSON, checked before it is stored. */
import type { ProviderOptionsByVendor } from "@capstan/kernel";
import { nonJson } from "./stored-json.ts";
import { invalid } from "../errors/session-error.ts";

/** Returns the options without undefined fields. Throws a `SessionError` for values that are not JSON. */
export function toStoredOptions(providerOptions: ProviderOptionsByVendor | undefined): {
  readonly providerOptions?: ProviderOptionsByVendor;
} {
  if (providerOptions === undefined) return {};
  const problem = problemOfOptions(providerOptions);
  if (problem !== undefined) throw invalid(problem);
  return {
    providerOptions: JSON.parse(JSON.stringify(providerOptions)) as ProviderOptionsByVendor,
  };
}

/** Reason why a caller's vendor options cannot be sent, if there is one. */
export function problemOfOptions(options: unknown): string | undefined {
  if (!isObject(options)) return "providerOptions must be an object, as in { openai: { … } }";
  for (const [id, fields] of Object.entries(options)) {
    if (fields === undefined) continue;
    if (!isObject(fields)) return `providerOptions.${id} must be an object of request fields`;
    const path = nonJson(fields, `providerOptions.${id}`);
    if (path !== undefined) return `${path} is not JSON`;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Finds the API key for a request. */
import type { ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import { environment } from "./environment.ts";

/** Uses the request's key, the provider options' key or the vendor's environment variable, in this order. Undefined if no key is needed. */
export function findApiKey(
  vendor: Vendor,
  options: ProviderOptions,
  request: Pick<ProviderRequest, "options">,
): string | undefined {
  const { name, keyVariable } = vendor;
  const given = request.options.apiKey ?? options.apiKey;
  const found = given ?? (keyVariable === undefined ? undefined : environment()[keyVariable]);
  // Keys read from a file end in a line break.
  const key = found?.trim() ?? "";
  if (key === "") {
    if (keyVariable === undefined) return undefined;
    throw new ProviderError(
      "auth",
      `No API key for ${name}: set ${keyVariable}, or pass \`apiKey\``,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const source = given === undefined ? keyVariable : "`apiKey`";
    throw new ProviderError(
      "auth",
      `The API key for ${name} in ${source} contains a space, a line break or a non-ASCII character: copy it again`,
    );
  }
  return key;
}

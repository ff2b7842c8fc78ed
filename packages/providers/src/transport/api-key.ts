/** Which key a request goes out with. */
import type { ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import { environment } from "./environment.ts";

/** The request's own, that of the provider's options, or the vendor's variable, in this order. Undefined where none is needed. */
export function findApiKey(
  vendor: Vendor,
  options: ProviderOptions,
  request: Pick<ProviderRequest, "options">,
): string | undefined {
  const { name, keyVariable } = vendor;
  const given = request.options.apiKey ?? options.apiKey;
  const found = given ?? (keyVariable === undefined ? undefined : environment()[keyVariable]);
  // Keys that are read from a file end in a line break.
  const key = found?.trim() ?? "";
  if (key === "") {
    if (keyVariable === undefined) return undefined;
    throw new ProviderError(
      "auth",
      `No API key for ${name}: set ${keyVariable}, or pass \`apiKey\``,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const place = given === undefined ? keyVariable : "`apiKey`";
    throw new ProviderError(
      "auth",
      `The API key for ${name} in ${place} has a space, a line break or a character outside of ASCII in it, which no key has: copy it again`,
    );
  }
  return key;
}

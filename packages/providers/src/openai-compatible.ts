/** Models on any server that implements Chat Completions. */
import type { ProviderOptions } from "./wire/vendor.ts";
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import type { CompatibleServer } from "./vendors/openai-compatible.ts";
import { compatibleVendor } from "./vendors/openai-compatible.ts";

export type { ChatQuirks, FetchedMedia, FetchMedia, ProviderOptions } from "./wire/vendor.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { CompatibleServer } from "./vendors/openai-compatible.ts";

/**
 * Creates the function that makes models of a server:
 * `const house = openaiCompatible({ baseUrl: "http://gpu:8000/v1" })`, then `house("qwen3")`.
 */
export function openaiCompatible(
  server: CompatibleServer,
  options: Omit<ProviderOptions, "baseUrl"> = {},
): VendorFunction {
  const model = vendorFunction(compatibleVendor(server));
  return (modelId, own = {}) => model(modelId, { ...options, ...given(own) });
}

/** Leaves out undefined options, which would hide those of the server. */
function given(options: ProviderOptions): ProviderOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

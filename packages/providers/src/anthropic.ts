/** Anthropic models, through the Messages API. */
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import { anthropicVendor } from "./vendors/anthropic.ts";

export type { FetchedMedia, FetchMedia, ProviderOptions } from "./wire/vendor.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { MessagesOptions } from "./wire/vendor-options.ts";

/** Reads `ANTHROPIC_API_KEY`. Pass options only this vendor has as `providerOptions: { anthropic: { … } }`. */
export const anthropic: VendorFunction = vendorFunction(anthropicVendor);

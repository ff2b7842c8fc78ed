/** OpenAI models, through the Responses API. */
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import { openAiVendor } from "./vendors/openai.ts";

export type { FetchedMedia, FetchMedia, ProviderOptions } from "./wire/vendor.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { ResponsesOptions } from "./wire/vendor-options.ts";

/** Reads `OPENAI_API_KEY`. Pass options only this vendor has as `providerOptions: { openai: { … } }`. */
export const openai: VendorFunction = vendorFunction(openAiVendor);

/** Models of OpenAI, by its Responses API. */
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import { openAiVendor } from "./vendors/openai.ts";

export type { FetchedMedia, FetchMedia, ProviderOptions } from "./wire/vendor.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { ResponsesOptions } from "./wire/vendor-options.ts";

/** `OPENAI_API_KEY`. What only this vendor has goes into the request by `providerOptions: { openai: { … } }`. */
export const openai: VendorFunction = vendorFunction(openAiVendor);

/** Google models, through the generateContent API. */
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import { googleVendor } from "./vendors/google.ts";

export type { FetchedMedia, FetchMedia, ProviderOptions } from "./wire/vendor.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { GenerateOptions } from "./wire/vendor-options.ts";

/** Reads `GEMINI_API_KEY`. Pass options only this vendor has as `providerOptions: { google: { … } }`. */
export const google: VendorFunction = vendorFunction(googleVendor);

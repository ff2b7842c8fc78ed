/** Models of Google, by its generateContent API. */
import type { VendorFunction } from "./vendor-function.ts";
import { vendorFunction } from "./vendor-function.ts";
import { googleVendor } from "./vendors/google.ts";

export type { FetchedMedia, FetchMedia, ProviderOptions } from "./vendor.ts";
export type { VendorFunction, VendorModel } from "./vendor-function.ts";
export type { GenerateOptions } from "./vendor-options.ts";

/** `GEMINI_API_KEY`. What only this vendor has goes into the request by `providerOptions: { google: { … } }`. */
export const google: VendorFunction = vendorFunction(googleVendor);

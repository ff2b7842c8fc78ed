/** Functions that name a vendor's model. */
import type { ProviderContract } from "@capstan/kernel";
import { createProvider } from "../transport/create-provider.ts";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";

/** For `createAgent({ model })`. */
export interface VendorModel {
  readonly provider: ProviderContract;
  readonly id: string;
}

/** The key comes from the agent's `getApiKey`, the options or the vendor's environment variable, in this order. */
export type VendorFunction = (modelId: string, options?: ProviderOptions) => VendorModel;

/** Creates the function that makes models of a vendor. */
export function vendorFunction(vendor: Vendor): VendorFunction {
  return (modelId, options) => ({ provider: createProvider(vendor, options), id: modelId });
}

/** How programs name a model of a vendor. */
import type { ProviderContract } from "@capstan/kernel";
import { createProvider } from "../transport/create-provider.ts";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";

/** For `createAgent({ model })`. */
export interface VendorModel {
  readonly provider: ProviderContract;
  readonly id: string;
}

/** The key is that of the options, of the agent's `getApiKey`, or of the vendor's variable, in this order. */
export type VendorFunction = (modelId: string, options?: ProviderOptions) => VendorModel;

export function vendorFunction(vendor: Vendor): VendorFunction {
  return (modelId, options) => ({ provider: createProvider(vendor, options), id: modelId });
}

/** All vendors known by name, one row each. */
import type { Vendor } from "./wire/vendor.ts";
import type { VendorFunction } from "./vendors/vendor-function.ts";
import { vendorFunction } from "./vendors/vendor-function.ts";
import { anthropicVendor } from "./vendors/anthropic.ts";
import { azureVendor } from "./vendors/azure.ts";
import { deepSeekVendor } from "./vendors/deepseek.ts";
import { googleVendor } from "./vendors/google.ts";
import { groqVendor } from "./vendors/groq.ts";
import { llamaCppVendor } from "./vendors/llamacpp.ts";
import { lmStudioVendor } from "./vendors/lmstudio.ts";
import { mistralVendor } from "./vendors/mistral.ts";
import { ollamaVendor } from "./vendors/ollama.ts";
import { openAiVendor } from "./vendors/openai.ts";
import { openRouterVendor } from "./vendors/openrouter.ts";
import { xAiVendor } from "./vendors/xai.ts";

export type {
  ChatQuirks,
  FetchedMedia,
  FetchMedia,
  ProviderOptions,
  Quirks,
  Vendor,
} from "./wire/vendor.ts";
export { vendorFunction } from "./vendors/vendor-function.ts";
export type { VendorFunction, VendorModel } from "./vendors/vendor-function.ts";
export type { GenerateOptions, MessagesOptions, ResponsesOptions } from "./wire/vendor-options.ts";

/** In alphabetical order. */
export const vendorRows: readonly Vendor[] = [
  anthropicVendor,
  azureVendor,
  deepSeekVendor,
  googleVendor,
  groqVendor,
  llamaCppVendor,
  lmStudioVendor,
  mistralVendor,
  ollamaVendor,
  openAiVendor,
  openRouterVendor,
  xAiVendor,
];

/** `vendors.groq("llama-3.3-70b-versatile")`. The whole record can be passed to `modelResolver` of core. */
export const vendors: Readonly<Record<string, VendorFunction>> = Object.fromEntries(
  vendorRows.map((vendor) => [vendor.id, vendorFunction(vendor)]),
);

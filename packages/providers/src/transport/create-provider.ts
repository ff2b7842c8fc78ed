/** Creates a vendor's provider. */
import type { ProviderContract, ProviderRequest } from "@capstan/kernel";
import { mergeProviderOptions } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import { createFetch } from "./create-fetch.ts";
import { findContextWindow } from "./find-window.ts";
import { ReplyStream } from "./reply-stream.ts";

/** Checks nothing before the first request, which may bring the key. */
export function createProvider(vendor: Vendor, options: ProviderOptions = {}): ProviderContract {
  const { id, media } = vendor;
  const fetch = options.fetch ?? createFetch(vendor);
  return {
    id,
    ...(media !== undefined && { media }),
    findContextWindow: (model, asked) => findContextWindow(vendor, options, fetch, model, asked),
    stream: (request) =>
      new ReplyStream(vendor, options, fetch, withModelOptions(options, request)),
  };
}

/** Adds the options given with the model, which have the lowest precedence. */
function withModelOptions(
  { providerOptions }: ProviderOptions,
  request: ProviderRequest,
): ProviderRequest {
  if (providerOptions === undefined) return request;
  const { options } = request;
  const merged = mergeProviderOptions(providerOptions, options.providerOptions) ?? providerOptions;
  return { ...request, options: { ...options, providerOptions: merged } };
}

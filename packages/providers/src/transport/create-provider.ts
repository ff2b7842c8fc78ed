/** Makes a provider of a vendor. */
import type { ProviderContract } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../vendor.ts";
import { ReplyStream } from "./reply-stream.ts";

/** Nothing is checked before the first request: a key may come with it. */
export function createProvider(vendor: Vendor, options: ProviderOptions = {}): ProviderContract {
  const { id, media } = vendor;
  return {
    id,
    ...(media !== undefined && { media }),
    stream: (request) => new ReplyStream(vendor, options, request),
  };
}

/** Default `fetch` of a provider. */
import type { Vendor } from "../wire/vendor.ts";
import { environment } from "./environment.ts";
import { findProxy, isLoopback } from "./find-proxy.ts";
import type { WireFetch } from "./proxied-fetch.ts";

/** The global `fetch`, or one through the proxy that the environment names. The variables are read for each request. */
export function createFetch(vendor: Vendor): WireFetch {
  const proxied = new Map<string, Promise<WireFetch>>();
  return async (address, init) => {
    const url = new URL(address);
    // A proxy cannot reach this machine.
    const isDirect = vendor.isLocal === true && isLoopback(url);
    const proxy = isDirect ? undefined : findProxy(url, environment());
    if (proxy === undefined) return globalThis.fetch(address, init);
    let found = proxied.get(proxy.href);
    if (found === undefined) {
      found = import("./proxied-fetch.ts").then(({ proxiedFetch }) => proxiedFetch(proxy));
      proxied.set(proxy.href, found);
    }
    return (await found)(address, init);
  };
}

/** A model of a server, and a provider that asks it over a real socket. */
import type { ProxyProviderOptions } from "@capstan/client/proxy";
import { proxyProvider } from "@capstan/client/proxy";
import type { Model } from "@capstan/core";
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { ServerOptions } from "@capstan/server";
import type { Served } from "../transports.ts";
import { retry, serve, token } from "../transports.ts";

export interface Proxied extends Served {
  readonly proxied: ProviderContract;
}

/** A provider in front of which a server stands. */
export async function behindProxy(
  model: ProviderContract | Model,
  options: Partial<ProxyProviderOptions> = {},
  server: Partial<ServerOptions> = {},
): Promise<Proxied> {
  const served = await serve([], {
    server: { proxy: { models: { fast: model } }, allowMediaUrls: true, ...server },
  });
  const { url } = served.node;
  return {
    ...served,
    proxied: proxyProvider({ url, token, retry, model: "fast", ...options }),
  };
}

export function requestOf(request: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    tools: [],
    options: {},
    signal: new AbortController().signal,
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    attempt: 1,
    ...request,
  };
}

export function partsOf(
  provider: ProviderContract,
  request: Partial<ProviderRequest> = {},
): Promise<ProviderPart[]> {
  return Array.fromAsync(provider.stream(requestOf(request)));
}

/** The error that a request fails with. */
export async function failureOf(
  provider: ProviderContract,
  request: Partial<ProviderRequest> = {},
): Promise<unknown> {
  return partsOf(provider, request).then(
    (parts) => parts,
    (thrown: unknown) => thrown,
  );
}

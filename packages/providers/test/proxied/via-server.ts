/** Providers as clients of a server have them: asked over HTTP, with the real provider on the other side. */
import { proxyProvider } from "@capstan/client/proxy";
import { createHost, memoryRepository } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { beforeAll } from "vitest";
import type { VendorFunction } from "../../src/vendors/vendor-function.ts";

const token = "ann-0123456789abcdef";

/** The provider that the server has at the moment. Turns of these tests follow each other. */
let current: ProviderContract | undefined;

const relay: ProviderContract = {
  id: "relay",
  stream(request) {
    if (current === undefined) throw new Error("No provider was chosen");
    return current.stream(request);
  },
};

/** Address of the server, while there is one. */
let url: string | undefined;

/** Serves while the tests of a file run. Each file calls it: files of one worker share this module, but not their servers. */
export function serveDuringTests(): void {
  beforeAll(async () => {
    const host = createHost({ agents: [], repository: memoryRepository() });
    const server = createServer({
      host,
      authenticate: bearerTokens({ ann: token }),
      proxy: { models: { relay } },
      allowMediaUrls: true,
      errorDetails: true,
      limits: { requestsPerMinute: 1_000_000, maxJsonValues: 1_000_000 },
    });
    const node = await serveNode(server, { drainMs: 100 });
    url = node.url;
    return async () => {
      url = undefined;
      await node.close();
      await host.close();
    };
  });
}

/** The same provider, with a server in between. What only a server may set is set by it. */
export function viaServer(provider: ProviderContract): ProviderContract {
  return {
    ...provider,
    stream(request) {
      const { model, modelFacts, headers, apiKey, providerOptions, ...options } = request.options;
      const own = { model, modelFacts, headers, apiKey, providerOptions };
      const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value));
      current = {
        ...provider,
        stream: (asked) => provider.stream({ ...asked, options: { ...asked.options, ...set } }),
      };
      if (url === undefined) throw new Error("There is no server: call serveDuringTests()");
      return proxyProvider({ url, token, model: "relay" }).stream({ ...request, options });
    },
  };
}

/** The vendor's models, with a server in between. */
export function vendorViaServer(vendor: VendorFunction): VendorFunction {
  return (id, options) => {
    const model = vendor(id, options);
    return { ...model, provider: viaServer(model.provider) };
  };
}

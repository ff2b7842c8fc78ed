/** No key of one vendor is in a request to another, whatever models and vendors are called. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent } from "@capstan/core";
import type { ProviderStreamOptions } from "@capstan/kernel";
import { failBefore, runToEnd, say, scriptedProvider } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openaiCompatible } from "../src/openai-compatible.ts";
import type { VendorModel } from "../src/with-fallback.ts";
import { withFallback } from "../src/with-fallback.ts";

interface Service extends AsyncDisposable {
  readonly baseUrl: string;
  readonly seen: IncomingHttpHeaders[];
}

async function startService(status: number): Promise<Service> {
  const seen: IncomingHttpHeaders[] = [];
  const choices = [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }];
  const body = status === 200 ? { choices } : { error: { message: "too busy" } };
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("vendors that call a model the same are each asked with their own key", async () => {
  await using a = await startService(503);
  await using b = await startService(200);
  const first = openaiCompatible({ baseUrl: a.baseUrl, id: "vendor-a" })("gpt-4o");
  const second = openaiCompatible({ baseUrl: b.baseUrl, id: "vendor-b" })("gpt-4o", {
    apiKey: "key-of-b-itself",
  });
  const agent = createAgent({
    model: withFallback([first, second]),
    compaction: false,
    getApiKey: (id) => `secret-of-${id}`,
  });

  const text = await agent.run("Hi");

  expect(text).toBe("Hello");
  expect(a.seen.map(({ authorization }) => authorization)).toEqual(["Bearer secret-of-vendor-a"]);
  expect(b.seen.map(({ authorization }) => authorization)).toEqual(["Bearer secret-of-vendor-b"]);
});

test("a vendor for which there is no key is asked with the one that it was given", async () => {
  await using a = await startService(401);
  await using b = await startService(200);
  const first = openaiCompatible({ baseUrl: a.baseUrl, id: "vendor-a" })("gpt-4o");
  const second = openaiCompatible({ baseUrl: b.baseUrl, id: "vendor-b" })("gpt-4o", {
    apiKey: "key-of-b-itself",
  });
  const agent = createAgent({
    model: withFallback([first, second]),
    compaction: false,
    headers: { "x-api-key": "secret-header", "x-team": "blue" },
    getApiKey: (id) => (id === "vendor-a" ? "secret-of-vendor-a" : undefined),
  });

  await agent.run("Hi");

  expect(a.seen[0]).toMatchObject({ "x-api-key": "secret-header", "x-team": "blue" });
  expect(b.seen[0]).toMatchObject({ authorization: "Bearer key-of-b-itself", "x-team": "blue" });
  expect(JSON.stringify(b.seen)).not.toContain("secret");
});

const keyOf = (id: string): string => `key of ${id}`;
const names = fc.constantFrom("", "gpt", "gpt-5.5", "openai", "__proto__", "a/b");

test("property: each request has the key of the vendor that it goes to, and no other", async () => {
  const vendorsAndModels = fc.array(fc.tuple(names, names), { minLength: 1, maxLength: 4 });

  await fc.assert(
    fc.asyncProperty(vendorsAndModels, fc.boolean(), async (list, isFixed) => {
      const asked: { id: string; index: number; options: ProviderStreamOptions }[] = [];
      const models = list.map(([vendor, id], index): VendorModel => {
        const fails = index < list.length - 1;
        const scripted = scriptedProvider([fails ? failBefore("auth") : say("Hello")]);
        const stream: typeof scripted.stream = (request) => {
          asked.push({ id: vendor, index, options: request.options });
          return scripted.stream(request);
        };
        return { id, provider: { id: vendor, stream } };
      });
      const [first, ...others] = models as [VendorModel, ...VendorModel[]];
      const chosen = withFallback([first, ...others]);

      if (isFixed) {
        const providerOpts = { model: chosen.id, apiKey: "key of the first" };
        await runToEnd({ provider: chosen.provider, providerOpts });
      } else {
        await createAgent({ model: chosen, compaction: false, getApiKey: keyOf }).run("Hi");
      }

      const fixed = asked.map(({ index }) => (index === 0 ? "key of the first" : undefined));
      const own = asked.map(({ id }) => keyOf(id));
      expect(asked.map(({ options }) => options.apiKey)).toEqual(isFixed ? fixed : own);
      expect(asked.map(({ options }) => options.model ?? "")).toEqual(list.map(([, id]) => id));
    }),
    { numRuns: 200 },
  );
});

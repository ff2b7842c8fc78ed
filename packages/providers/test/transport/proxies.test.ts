import type { IncomingMessage } from "node:http";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { findProxy } from "../../src/transport/find-proxy.ts";
import { createProvider } from "../../src/transport/create-provider.ts";
import { serveTls, startProxy } from "./test-proxy.ts";
import {
  answering,
  eventStream,
  failureOf,
  readAll,
  recording,
  requestWith,
  serve,
  sse,
  streamFrom,
  vendor,
} from "./test-vendor.ts";

const variables = ["https_proxy", "http_proxy", "no_proxy"].flatMap((name) => [
  name,
  name.toUpperCase(),
]);

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

interface Asked {
  readonly request: IncomingMessage;
  readonly body: string;
}

function replying(asked: Asked[]): ReturnType<typeof recording> {
  return recording(asked, (response) => {
    response.writeHead(200, eventStream).end(sse({ text: "Hello" }, { finish: "stop" }));
  });
}

describe("a proxy for https", () => {
  test.each(["HTTPS_PROXY", "https_proxy"])("that %s names opens the tunnel", async (variable) => {
    const asked: Asked[] = [];
    const proxy = await startProxy(await serveTls(replying(asked)));
    vi.stubEnv(variable, proxy.url);
    const provider = createProvider(vendor, { baseUrl: "https://vendor.test/v1" });

    const first = await readAll(provider.stream(requestWith())[Symbol.asyncIterator]());
    const second = await readAll(provider.stream(requestWith())[Symbol.asyncIterator]());

    expect(first).toEqual({ said: "Hello", finish: "stop", error: undefined });
    expect(second.said).toBe("Hello");
    // One tunnel served both.
    expect(proxy.asked).toEqual(["vendor.test:443"]);
    expect(asked[0]?.request.url).toBe("/v1/reply?alt=sse");
    expect(asked[0]?.request.headers).toMatchObject({
      host: "vendor.test",
      authorization: "Bearer key-of-the-request",
    });
    expect(asked[0]?.body).toBe('{"count":1}');
  });

  test("gets the user and the password of its URL, and not the vendor's key", async () => {
    const proxy = await startProxy(await serveTls(replying([])));
    vi.stubEnv("HTTPS_PROXY", proxy.url.replace("//", "//me:p%40ss@"));

    await readAll(streamFrom("https://vendor.test/v1"));

    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
  });

  test("that refuses is named in the error, without its password", async () => {
    const proxy = await startProxy(1, 407);
    vi.stubEnv("HTTPS_PROXY", proxy.url.replace("//", "//me:secret@"));

    const error = await failureOf(streamFrom("https://vendor.test/v1"));

    expect(error).toMatchObject({ code: "auth", retryable: false, status: 407 });
    expect(error.message).toContain(`The proxy ${proxy.url} refused to connect to vendor.test:443`);
    expect(error.message).not.toContain("secret");
  });

  test("that is not there is named in the error", async () => {
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");

    const error = await failureOf(streamFrom("https://vendor.test/v1"));

    expect(error).toMatchObject({ code: "network", retryable: true });
    expect(error.message).toContain("The proxy http://127.0.0.1:1 is unreachable");
  });

  test("is left when the request is aborted", async () => {
    const proxy = await startProxy(await serveTls(() => {}));
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const controller = new AbortController();

    const reading = readAll(streamFrom("https://vendor.test/v1", { signal: controller.signal }));
    await vi.waitFor(() => expect(proxy.asked).toHaveLength(1));
    controller.abort(new Error("enough"));

    expect((await reading).error).toMatchObject({ message: "enough" });
  });
});

describe("a proxy for http", () => {
  test("is sent the whole URL, and the user and the password of its own", async () => {
    const proxy = await startProxy(1);
    vi.stubEnv("HTTP_PROXY", proxy.url.replace("//", "//me:p%40ss@"));

    const { said } = await readAll(streamFrom("http://vendor.test/v1"));

    expect(said).toBe("by proxy");
    expect(proxy.asked).toEqual(["http://vendor.test/v1/reply?alt=sse"]);
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
  });

  test("that is not there is named in the error", async () => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");

    const error = await failureOf(streamFrom("http://vendor.test/v1"));

    expect(error).toMatchObject({ code: "network", retryable: true });
    expect(error.message).toContain("The proxy http://127.0.0.1:1 is unreachable");
  });

  test("leads to a server that is mostly on this machine, and now is on another", async () => {
    const proxy = await startProxy(1);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const local = createProvider({ ...vendor, isLocal: true }, { baseUrl: "http://vendor.test" });

    const { said } = await readAll(local.stream(requestWith())[Symbol.asyncIterator]());

    expect(said).toBe("by proxy");
  });

  test("is gone around for hosts of NO_PROXY, and for servers of this machine", async () => {
    const proxy = await startProxy(1);
    const url = await serve(answering(sse({ text: "direct" }, { finish: "stop" })));
    vi.stubEnv("HTTP_PROXY", proxy.url);

    const local = createProvider({ ...vendor, isLocal: true }, { baseUrl: url });
    const asLocal = await readAll(local.stream(requestWith())[Symbol.asyncIterator]());
    const proxied = await readAll(streamFrom(url));
    vi.stubEnv("NO_PROXY", "example.com, 127.0.0.1");
    const excluded = await readAll(streamFrom(url));

    expect([asLocal.said, proxied.said, excluded.said]).toEqual(["direct", "by proxy", "direct"]);
    expect(proxy.asked).toHaveLength(1);
  });
});

describe("NO_PROXY", () => {
  test.each([
    ["api.example.com", true],
    ["example.com", true],
    [".example.com", true],
    ["*.example.com", true],
    ["*", true],
    ["other.com api.example.com", true],
    ["API.EXAMPLE.COM", true],
    ["api.example.com:443", true],
    ["api.example.com:8443", false],
    ["ample.com", false],
    ["example.org", false],
    ["", false],
  ])("with %j lists api.example.com: %s", (list, isListed) => {
    const env = { HTTPS_PROXY: "proxy:3128", NO_PROXY: list };

    const found = findProxy(new URL("https://api.example.com/v1"), env);

    expect(found?.href).toBe(isListed ? undefined : "http://proxy:3128/");
  });

  test("may list an address of version 6", () => {
    const env = { http_proxy: "http://proxy", no_proxy: "[::1]:8080" };

    expect(findProxy(new URL("http://[::1]:8080"), env)).toBeUndefined();
    expect(findProxy(new URL("http://[::1]:9090"), env)).toBeDefined();
  });
});

test("a variable in small letters goes before the one in capitals", () => {
  const env = { https_proxy: "http://small", HTTPS_PROXY: "http://capital" };

  expect(findProxy(new URL("https://a.example"), env)?.hostname).toBe("small");
});

test("a proxy that is none is an error that does not show it", () => {
  const env = { HTTPS_PROXY: "socks5://me:secret@proxy" };

  expect(() => findProxy(new URL("https://a.example"), env)).toThrow("The proxy in HTTPS_PROXY");
  expect(() => findProxy(new URL("https://a.example"), env)).not.toThrow("secret");
});

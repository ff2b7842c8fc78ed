/** Which clients may call the server, from where, and how. */
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { bearerTokens } from "@capstan/server";
import type { World } from "./world.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const path = "/api/agent/execute";

/** With headers that `fetch` would not send. */
async function raw(
  world: World,
  headers: Readonly<Record<string, string>>,
  address = "/api/agent/sessions",
): Promise<{ readonly status: number | undefined; readonly code: string | undefined }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const authorization = `Bearer ${tokens.ann}`;
    const options = { headers: { authorization, ...headers } };
    httpRequest(`${world.node.url}${address}`, options, resolve).on("error", reject).end();
  });
  const body = (await json(response)) as { readonly error?: { readonly code: string } };
  return { status: response.statusCode, code: body.error?.code };
}

describe("tokens", () => {
  test.each([
    ["none", ""],
    ["another", "Bearer nobody-0123456789abcdef"],
    ["a part of one", `Bearer ${tokens.ann.slice(0, -1)}`],
    ["one with trailing characters", `Bearer ${tokens.ann}0`],
    ["the same one twice", `Bearer ${tokens.ann}${tokens.ann}`],
    ["one that begins with another character", `Bearer x${tokens.ann.slice(1)}`],
    ["one that ends in another character", `Bearer ${tokens.ann.slice(0, -1)}x`],
    ["another scheme", `Basic ${tokens.ann}`],
  ])("%s is refused everywhere but where the process is looked after", async (_, authorization) => {
    const world = await createWorld([]);
    const ask = (address: string): Promise<Response> =>
      fetch(`${world.node.url}${address}`, { headers: { authorization } });

    const refused = await Promise.all(
      ["/api/agent/sessions", "/metrics", "/openapi.json", "/nowhere"].map(ask),
    );
    const open = await Promise.all(["/healthz", "/readyz"].map(ask));

    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(refused[0]?.headers.get("www-authenticate")).toBe("Bearer");
    expect(await refused[0]?.json()).toMatchObject({ error: { code: "unauthenticated" } });
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each(["token", "access_token", "api_key", "key", "authorization"])(
    "a token does not belong into the address: %s",
    async (name) => {
      const world = await createWorld([]);

      const refused = await world.request(`/api/agent/sessions?${name}=${tokens.ann}`);
      const alone = await fetch(`${world.node.url}/api/agent/sessions?${name}=${tokens.ann}`);

      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain("use a header");
      expect(alone.status).toBe(401);
    },
  );

  test.each([undefined, "", "short"])("a token that is %s is no token", (token) => {
    expect(() => bearerTokens({ ann: token })).toThrow("ann");
  });

  test("an agent that the host does not have cannot be served", async () => {
    await expect(createWorld([], { server: { agents: ["other"] } })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });
});

describe("names and pages", () => {
  test.each([
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
  ])(
    "a request to the name %s is refused, so that no page can make its own name point here",
    async (host) => {
      const world = await createWorld([]);

      expect(await raw(world, { host })).toEqual({ status: 403, code: "forbidden_host" });
    },
  );

  test.each(["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80"])(
    "the machine's own name %s is answered to",
    async (host) => {
      const world = await createWorld([]);

      expect((await raw(world, { host })).status).toBe(200);
    },
  );

  test("other names have to be given, with a port or without", async () => {
    const allowedHosts = ["agents.example", "other.example:8080"];
    const world = await createWorld([], { server: { allowedHosts } });
    const statusOf = async (host: string) => (await raw(world, { host })).status;

    expect(await statusOf("agents.example:99")).toBe(200);
    expect(await statusOf("other.example:8080")).toBe(200);
    expect(await statusOf("other.example")).toBe(403);
    expect(await statusOf("localhost")).toBe(403);
  });

  test.each(["http://evil.example", "null", "http://localhost:1", "http://127.0.0.1.evil.example"])(
    "pages of %s are refused",
    async (origin) => {
      const world = await createWorld([]);

      const refused = await raw(world, { origin });

      expect(refused).toEqual({ status: 403, code: "forbidden_origin" });
    },
  );

  test("pages of an allowed origin may ask, and are told so; those of the server itself need no word", async () => {
    const origin = "https://app.example";
    const world = await createWorld([say("Hi")], { server: { allowedOrigins: [origin] } });

    const asked = await fetch(`${world.node.url}${path}`, {
      method: "OPTIONS",
      headers: { origin },
    });
    const sent = await world.request(path, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ input: "Hi" }),
    });
    const own = await raw(world, { origin: world.node.url });

    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-methods")).toBe("POST");
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(sent.headers.get("access-control-allow-origin")).toBe(origin);
    expect(sent.headers.get("access-control-expose-headers")).toContain("x-session-id");
    expect(own.status).toBe(200);
  });
});

describe("bodies", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
  ])("a body of type %j is refused: any page could send it", async (type) => {
    const world = await createWorld([]);

    const refused = await world.request(path, {
      method: "POST",
      headers: { "content-type": type },
      body: JSON.stringify({ input: "Hi" }),
    });

    expect(await errorOf(refused)).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
    });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{input:'Hi'}"],
    ["half of it", '{"input":"Hi"'],
    ["a list", "[]"],
    ["null", "null"],
    ["an unknown field", '{"input":"Hi","system":"You are root"}'],
    ["no input", "{}"],
    ["too long a list", `{"input":[${"1,".repeat(100_000)}1]}`],
    ["too deep", `{"input":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
  ])("%s is refused", async (_, body) => {
    const world = await createWorld([]);

    const refused = await world.request(path, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body,
    });

    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(world.faults).toEqual([]);
  });

  test("bytes that are no UTF-8 are refused", async () => {
    const world = await createWorld([]);

    const refused = await world.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });

    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "invalid_request" });
  });

  test("the places of all that is wrong are told", async () => {
    const world = await createWorld([]);
    const input = [
      { type: "text", text: "ok" },
      { type: "image", mediaType: 1 },
    ];

    const refused = await errorOf(
      await world.post(path, { input, options: { temperature: 9, maxTokens: 0.5 } }),
    );

    expect(refused.paths).toEqual([
      "input[1].mediaType",
      "input[1].data",
      "options.temperature",
      "options.maxTokens",
    ]);
  });
});

describe("addresses", () => {
  test("one that is not there is not found, and one that takes another method says which", async () => {
    const world = await createWorld([]);

    const missing = await errorOf(await world.request("/api/agent"));
    const wrong = await world.request(path);

    expect(missing).toMatchObject({ status: 404, code: "not_found" });
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await errorOf(wrong)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });

  test("the description has every endpoint, made from what checks the bodies", async () => {
    const world = await createWorld([]);

    const response = await world.request("/openapi.json");
    const { paths } = (await response.json()) as { readonly paths: Record<string, object> };

    expect(Object.keys(paths).toSorted()).toEqual([
      "/api/agent/execute",
      "/api/agent/session/{id}",
      "/api/agent/session/{id}/answers",
      "/api/agent/session/{id}/cancel",
      "/api/agent/session/{id}/claims",
      "/api/agent/session/{id}/events",
      "/api/agent/session/{id}/follow-up",
      "/api/agent/session/{id}/fork",
      "/api/agent/session/{id}/rewind",
      "/api/agent/session/{id}/steer",
      "/api/agent/sessions",
      "/api/chat",
      "/api/chat/{id}/stop",
      "/api/chat/{id}/stream",
      "/api/models",
      "/api/stream",
      "/api/stream/{id}",
      "/healthz",
      "/metrics",
      "/openapi.json",
      "/readyz",
    ]);
    expect(JSON.stringify(paths)).toContain("context");
  });

  test("the metrics count, and name no principal", async () => {
    const world = await createWorld([say("Hi")]);
    const { sessionId } = await world.execute({ input: "Hi" });

    const text = await (await world.request("/metrics")).text();

    expect(text).toContain(
      'capstan_http_requests_total{route="/api/agent/execute",status="200"} 1',
    );
    expect(text).toMatch(/capstan_stream_events_total \d+/);
    expect(text).not.toContain("ann");
    expect(text).not.toContain(sessionId);
  });
});

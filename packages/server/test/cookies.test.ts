/** Users that are signed in by a cookie, which browsers also send with requests of other pages. */
import type { ServerOptions } from "@capstan/server";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const authenticate: ServerOptions["authenticate"] = ({ headers }) =>
  headers.get("cookie") === "sid=s1" ? { principal: "ann" } : undefined;

/** A browser's request with the cookie of its user. */
function send(
  { node }: World,
  headers: Readonly<Record<string, string>>,
  method = "POST",
): Promise<Response> {
  return fetch(`${node.url}/api/agent/execute`, {
    method,
    headers: { cookie: "sid=s1", ...headers },
    ...(method === "POST" && { body: JSON.stringify({ input: "Hi" }) }),
  });
}

const json = { "content-type": "application/json" };

test("a page of the server's own origin is signed in by its cookie", async () => {
  const world = await createWorld([say("Hi")], { server: { authenticate } });

  const response = await send(world, { ...json, origin: world.node.url });

  expect(response.status).toBe(200);
  expect(await response.text()).toContain("execute_complete");
});

test.each([
  ["JSON of another site", { ...json, origin: "https://evil.example" }, 403, "forbidden_origin"],
  ["JSON of a sandboxed frame", { ...json, origin: "null" }, 403, "forbidden_origin"],
  [
    "a form of another site",
    { "content-type": "text/plain", origin: "https://evil.example" },
    403,
    "forbidden_origin",
  ],
  ["a form without an origin", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
])("%s is refused, whatever its cookie says", async (_, headers, status, code) => {
  const world = await createWorld([say("Hi")], { server: { authenticate } });

  const response = await send(world, headers);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code } });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(world.provider.requests).toHaveLength(0);
});

test("a preflight of another site is refused", async () => {
  const world = await createWorld([], { server: { authenticate } });

  const response = await send(world, { origin: "https://evil.example" }, "OPTIONS");

  expect(response.status).toBe(403);
});

test("pages of an allowed origin may send cookies, and are told so", async () => {
  const origin = "https://app.example";
  const server = { authenticate, allowedOrigins: [origin] };
  const world = await createWorld([say("Hi")], { server });

  const asked = await send(world, { origin }, "OPTIONS");
  const sent = await send(world, { ...json, origin });

  expect(asked.headers.get("access-control-allow-credentials")).toBe("true");
  expect(sent.headers.get("access-control-allow-credentials")).toBe("true");
  expect(sent.headers.get("access-control-allow-origin")).toBe(origin);
});

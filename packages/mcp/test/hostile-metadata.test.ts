/** Metadata of servers that do not mean well: the login fails before the user or a token is sent anywhere. */
import { expect, test } from "vitest";
import { loginWorld } from "./login-world.ts";

const wellKnown = "/.well-known/oauth-authorization-server";

test.each([
  ["of another issuer", { issuer: "https://evil.example" }],
  ["with a token endpoint over http", { token_endpoint: "http://evil.example/token" }],
  ["with a page over http", { authorization_endpoint: "http://evil.example/authorize" }],
  ["with a page that is a script", { authorization_endpoint: "javascript:alert(1)" }],
  ["with a page that is a file", { authorization_endpoint: "file:///etc/passwd" }],
  ["with a registration over http", { registration_endpoint: "http://evil.example/register" }],
  ["without PKCE", { code_challenge_methods_supported: ["plain"] }],
  ["of the wrong types", { token_endpoint: 7 }],
])("metadata %s is refused", async (_, metadata) => {
  await using world = await loginWorld();
  world.as.behaviour.metadata = metadata;

  await expect(world.login()).rejects.toMatchObject({ code: "login_failed" });
  expect(world.as.seenAt("/authorize")).toEqual([]);
});

test.each([
  ["is about another server", { resource: "https://other.example/mcp" }],
  ["names an issuer over http", { authorization_servers: ["http://evil.example"] }],
])("metadata of a resource that %s is refused", async (_, resource) => {
  await using world = await loginWorld();
  world.as.behaviour.resource = { resource: world.wire.url, ...resource };

  await expect(world.login()).rejects.toMatchObject({ code: "login_failed" });
  expect(world.as.seenAt("/authorize")).toEqual([]);
});

test("metadata without an end is not read to its end", async () => {
  await using world = await loginWorld();
  const body = `{"issuer":"${"x".repeat(2_000_000)}"}`;
  world.as.behaviour.answers[wellKnown] = { status: 200, body };

  await expect(world.login()).rejects.toThrow(/more than 1000000 bytes/);
});

test.each([wellKnown, "/resource", "/token", "/register"])(
  "a redirect of %s is not followed",
  async (path) => {
    await using world = await loginWorld();
    await using thief = await loginWorld();
    const location = `${thief.as.issuer}${path}`;
    world.as.behaviour.answers[path] = { status: 307, headers: { location }, body: "" };

    await expect(world.login()).rejects.toThrow(/redirect/);
    expect(thief.as.seen).toEqual([]);
  },
);

/** Logins belong to the issuer that made them: servers that move never get its tokens, and servers that share it share the client. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname } from "node:path";
import type { McpError } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { authorizationServer } from "./authorization-server.ts";
import type { LoginWorld } from "./login-world.ts";
import { browse, loginWorld } from "./login-world.ts";
import type { WireServer } from "./wire-server.ts";
import { declared, modernServer } from "./wire-server.ts";
import { lastResult, world as agentWorld } from "./world.ts";

/** Another MCP server behind the same authorization server. */
async function neighbour({ as }: LoginWorld): Promise<WireServer> {
  return modernServer([declared("b")], ({ headers }) => {
    if (as.accepts(headers.authorization)) return undefined;
    const challenge = as.challenge().replace("/resource", "/neighbour");
    return { status: 401, headers: { "www-authenticate": challenge } };
  });
}

function describe({ as }: LoginWorld, { url }: WireServer): void {
  const body = JSON.stringify({ resource: url, authorization_servers: [as.issuer] });
  const headers = { "content-type": "application/json" };
  as.behaviour.answers["/neighbour"] = { status: 200, headers, body };
}

const tokensOf = ({ wire }: LoginWorld): readonly (string | undefined)[] =>
  wire.all.map(({ headers }) => headers.authorization);

test("a server that has moved to another issuer never gets a token of the old one", async () => {
  await using world = await loginWorld();
  await world.login();
  await using other = await authorizationServer();
  world.as.behaviour.resource = { resource: world.wire.url, authorization_servers: [other.issuer] };
  const errors: McpError[] = [];
  const servers = { srv: { url: world.wire.url } };
  await using mcp = mcpTools({ servers, auth: world.logins, onError: (each) => errors.push(each) });

  expect(await mcp.tools()).toEqual([]);
  expect(errors).toMatchObject([{ code: "login_required", server: "srv" }]);
  expect(tokensOf(world)).toEqual(tokensOf(world).map(() => undefined));
  expect([world.as.refreshes(), other.refreshes()]).toEqual([0, 0]);
});

test("a server that moves while it is used gets no other token of the old issuer, and the error says so", async () => {
  await using world = await loginWorld();
  await world.login();
  const { logins: auth, wire, as } = world;
  const script = [callTool("srv__a", {}), say("ok")];
  await using agent = await agentWorld({ script, server: { url: wire.url }, auth });
  await agent.mcp.tools();
  await using other = await authorizationServer();
  as.behaviour.resource = { resource: wire.url, authorization_servers: [other.issuer] };
  as.expire();

  await agent.session.send("Go").response;

  expect(lastResult(agent)).toMatch(/moved to another authorization server.*capstan mcp login srv/);
  expect(as.refreshes()).toBe(0);
});

test("a login at the new issuer replaces the one at the old issuer", async () => {
  await using world = await loginWorld();
  await world.login();
  const old = await world.stored();
  await using other = await authorizationServer();
  world.as.behaviour.resource = { resource: world.wire.url, authorization_servers: [other.issuer] };
  await world.login();

  expect((await world.store.list()).size).toBe(1);
  expect(await world.stored()).toMatchObject({ issuer: other.issuer });
  expect(await readFile(world.path, "utf8")).not.toContain(old?.accessToken);
});

test("servers behind one issuer share a registration, and each has tokens of its own", async () => {
  await using world = await loginWorld();
  await using second = await neighbour(world);
  describe(world, second);
  await world.login();
  await world.logins.login({ name: "second", url: second.url }, { open: browse });

  const logins = [...(await world.store.list()).values()];
  expect(world.as.seenAt("/register")).toHaveLength(1);
  expect(new Set(logins.map(({ clientId }) => clientId)).size).toBe(1);
  expect(new Set(logins.map(({ accessToken }) => accessToken)).size).toBe(2);
  expect(logins.map(({ resource }) => resource).sort()).toEqual(
    [world.wire.url, second.url].sort(),
  );
});

test("a registration is not used for a scope that it does not have", async () => {
  await using world = await loginWorld();
  await world.login({ oauth: { scope: "read" } });
  await world.login({ oauth: { scope: "read write" } });
  await world.login({ oauth: { scope: "write" } });

  expect(world.as.seenAt("/register").map(({ json }) => json["scope"])).toEqual([
    "read",
    "read write",
  ]);
});

test("a registration whose port is taken is not used", async () => {
  await using world = await loginWorld();
  await world.login();
  const { redirectUrl = "" } = (await world.stored())?.registration ?? {};
  const occupant = createServer();
  await new Promise<void>((resolve) => {
    occupant.listen(Number(new URL(redirectUrl).port), "127.0.0.1", resolve);
  });
  await world.login();
  await new Promise((resolve) => occupant.close(resolve));

  expect(world.as.seenAt("/register")).toHaveLength(2);
});

test("after a login that fails, the next one registers another client: the issuer may have forgotten the first", async () => {
  await using world = await loginWorld();
  await world.login();
  world.as.behaviour.redirect = { code: "", error: "unauthorized_client" };
  await expect(world.login()).rejects.toMatchObject({ code: "login_failed" });
  world.as.behaviour.redirect = {};
  await world.login();

  expect(world.as.seenAt("/register")).toHaveLength(2);
});

test("servers that are one resource share a login", async () => {
  await using world = await loginWorld();
  const { origin } = new URL(world.wire.url);
  world.as.behaviour.resource = { resource: `${origin}/` };
  await world.login();
  const other = { name: "other", url: `${origin}/other` };

  expect(await world.logins.status(other)).toMatchObject({ resource: `${origin}/` });
  expect(await world.logins.provider(other).token()).toBe((await world.stored())?.accessToken);
});

test("the status has the issuer and the end of the token, and no token", async () => {
  await using world = await loginWorld();
  expect(await world.logins.status(world.server)).toBeUndefined();
  await world.login({ oauth: { scope: "read" } });

  expect(await world.logins.status(world.server)).toEqual({
    issuer: world.as.issuer,
    resource: world.wire.url,
    scope: "read",
    expiresAt: expect.any(Number),
    isRenewed: true,
  });
});

test("a file of version 1, keyed by the server's address, is read, and becomes one of today", async () => {
  await using world = await loginWorld();
  await world.login({ oauth: { clientId: "mine" } });
  const login = await world.stored();
  const old = { version: 1, logins: { [`${world.wire.url} mine`]: login } };
  await mkdir(dirname(world.path), { recursive: true });
  await writeFile(world.path, JSON.stringify(old));
  const provider = world.logins.provider({ ...world.server, oauth: { clientId: "mine" } });

  expect(await provider.token()).toBe(login?.accessToken);
  expect(await world.logins.provider(world.server).token()).toBeUndefined();
  await world.change({ refreshAt: 0 });
  expect(JSON.parse(await readFile(world.path, "utf8"))).toEqual({
    version: 2,
    logins: {
      [`${world.as.issuer} ${world.wire.url} mine`]: expect.objectContaining({ clientId: "mine" }),
    },
  });
});

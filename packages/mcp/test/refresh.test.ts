/** Tokens of a login in running sessions: refreshed in time and after a refusal, and never in a loop. */
import type { McpError } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { loginWorld } from "./login-world.ts";
import { lastResult, world as agentWorld } from "./world.ts";

const twoCalls = [callTool("srv__a", {}), callTool("srv__a", {}), say("ok")];

test("a token is refreshed before it ends", async () => {
  await using world = await loginWorld();
  await world.login();
  await world.change({ refreshAt: 0 });
  await using mcp = mcpTools({ servers: { srv: { url: world.wire.url } }, auth: world.logins });

  expect(await mcp.tools()).toHaveLength(1);
  expect(world.as.refreshes()).toBe(1);
  expect((await world.stored())?.refreshAt).toBeGreaterThan(Date.now());
});

test("a running session goes on with a new token after a refusal", async () => {
  await using world = await loginWorld((request) => {
    // The first call ends all tokens, once it has run.
    if (request.method === "tools/call" && world.as.refreshes() === 0) world.as.expire();
    return undefined;
  });
  await world.login();
  const { logins: auth, wire } = world;
  await using agent = await agentWorld({ script: twoCalls, server: { url: wire.url }, auth });

  await agent.session.send("Go").response;

  expect(lastResult(agent)).toBe("done");
  expect(world.as.refreshes()).toBe(1);
});

test("a running session uses the token of a login that was made elsewhere", async () => {
  await using world = await loginWorld();
  const errors: McpError[] = [];
  const servers = { srv: { url: world.wire.url } };
  await using mcp = mcpTools({ servers, auth: world.logins, onError: (each) => errors.push(each) });

  expect(await mcp.tools()).toEqual([]);
  expect(errors[0]).toMatchObject({ code: "login_required", server: "srv" });
  expect(errors[0]?.message).toContain("capstan mcp login srv");

  await world.login();
  await expect.poll(() => mcp.tools(), { timeout: 10_000 }).toHaveLength(1);
});

test("a refresh token that is refused is sent once, and the error names the login", async () => {
  await using world = await loginWorld();
  await world.login();
  const { logins: auth, wire, as } = world;
  await using agent = await agentWorld({ script: twoCalls, server: { url: wire.url }, auth });
  await agent.mcp.tools();
  as.expire();
  as.behaviour.refusesRefresh = true;

  await agent.session.send("Go").response;

  expect(lastResult(agent)).toContain("capstan mcp login srv");
  expect(as.refreshes()).toBe(1);
});

test("many requests with a token that is about to end cause one refresh", async () => {
  await using world = await loginWorld();
  await world.login();
  await world.change({ refreshAt: 0 });
  const provider = world.logins.provider(world.server);

  const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.token()));

  expect(new Set(tokens).size).toBe(1);
  expect(world.as.refreshes()).toBe(1);
});

test("many calls that are refused at once cause one refresh, and all run", async () => {
  await using world = await loginWorld();
  await world.login();
  const { logins: auth, wire } = world;
  const calls = Array.from({ length: 20 }, () => callTool("srv__a", {}));
  const script = [reply(...calls), say("ok")];
  await using agent = await agentWorld({ script, server: { url: wire.url }, auth });
  await agent.mcp.tools();
  world.as.expire();

  await agent.session.send("Go").response;

  const results = agent.session.messages.filter(({ role }) => role === "tool");
  expect(results.map((each) => each.role === "tool" && each.content)).toEqual(
    calls.map(() => "done"),
  );
  expect(world.as.refreshes()).toBe(1);
});

test("a server that refuses every token causes one refresh, not one for each request", async () => {
  await using world = await loginWorld(({ method }) =>
    method === "tools/call" ? { status: 401, headers: {} } : undefined,
  );
  await world.login();
  const { logins: auth, wire } = world;
  await using agent = await agentWorld({ script: twoCalls, server: { url: wire.url }, auth });

  await agent.session.send("Go").response;

  expect(lastResult(agent)).toContain("capstan mcp login srv");
  expect(world.as.refreshes()).toBe(1);
});

test("a token that is still good is used while its authorization server fails", async () => {
  await using world = await loginWorld();
  await world.login();
  await world.change({ refreshAt: 0 });
  world.as.behaviour.answers["/token"] = { status: 503, body: "busy" };
  await using mcp = mcpTools({ servers: { srv: { url: world.wire.url } }, auth: world.logins });

  expect(await mcp.tools()).toHaveLength(1);
  expect(await world.stored()).toHaveProperty("refreshToken");
});

test("a token that has ended while its authorization server fails is an error that passes", async () => {
  await using world = await loginWorld();
  await world.login();
  await world.change({ refreshAt: 0, expiresAt: 0 });
  world.as.behaviour.answers["/token"] = { status: 503, body: "busy" };
  const provider = world.logins.provider(world.server);

  await expect(provider.token()).rejects.toMatchObject({ code: "unavailable" });
  world.as.behaviour.answers = {};
  expect(world.as.accepts(`Bearer ${await provider.token()}`)).toBe(true);
});

test("a scope that is missing is named in the result, and the next login asks for all", async () => {
  await using world = await loginWorld(({ method }) => {
    const challenge = world.as.challenge(', error="insufficient_scope", scope="write"');
    return method === "tools/call"
      ? { status: 403, headers: { "www-authenticate": challenge } }
      : undefined;
  });
  await world.login({ oauth: { scope: "read" } });
  const { logins: auth, wire } = world;
  await using agent = await agentWorld({ script: twoCalls, server: { url: wire.url }, auth });

  await agent.session.send("Go").response;
  await world.login();

  expect(lastResult(agent)).toMatch(/the scope "write".*capstan mcp login srv/);
  expect(world.as.seenAt("/authorize").at(-1)?.params.get("scope")).toBe("read write");
  expect(world.as.refreshes()).toBe(0);
});

import { createAgent, defineTool } from "@capstan/core";
import type { Agent } from "@capstan/core";
import { callTool, failBefore, say, scriptedProvider } from "@capstan/testing";
import { mcpServer } from "@capstan/mcp/server";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { ServedWorld } from "./served-world.ts";
import { servedWorld, sessionOf, textsOf } from "./served-world.ts";

/** An agent whose tool runs until it is aborted. */
function waiter(): { readonly agent: Agent; readonly seen: string[] } {
  const seen: string[] = [];
  const wait = defineTool({
    name: "wait",
    description: "Waits",
    input: z.object({}),
    execute: (_input, { signal }) =>
      new Promise<string>((resolve) => {
        seen.push("started");
        signal.addEventListener("abort", () => {
          seen.push("aborted");
          resolve("aborted");
        });
      }),
  });
  const model = scriptedProvider([callTool("wait", {}), say("done")]);
  return { agent: createAgent({ name: "helper", model, tools: [wait] }), seen };
}

const call = { name: "helper", arguments: { prompt: "go" } };

function helper(...script: Parameters<typeof scriptedProvider>[0]): Agent {
  return createAgent({ name: "helper", model: scriptedProvider(script) });
}

async function post(
  { url }: Pick<ServedWorld, "url">,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body,
    headers: {
      authorization: "Bearer ann",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
}

test.each([false, true])(
  "a cancelled request aborts its turn (older client: %s)",
  async (isLegacy) => {
    const { agent, seen } = waiter();
    await using world = await servedWorld([agent]);
    const client = await world.connect({ isLegacy });
    const controller = new AbortController();

    const calling = client.callTool(call, { signal: controller.signal });
    await vi.waitFor(() => expect(seen).toEqual(["started"]));
    controller.abort("changed my mind");

    await expect(calling).rejects.toThrow("changed my mind");
    await vi.waitFor(() => expect(seen).toEqual(["started", "aborted"]));
    const [listed] = (await world.host.list({ principal: "ann" })).sessions;
    const turn = await (await world.host.open(listed?.id ?? "")).follow();
    expect((await turn?.response)?.status).toBe("aborted");
  },
);

test("a server that closes leaves turns in progress to its host", async () => {
  const { agent, seen } = waiter();
  await using world = await servedWorld([agent]);
  const client = await world.connect();
  const calling = client.callTool(call).catch((thrown: unknown) => thrown);
  await vi.waitFor(() => expect(seen).toEqual(["started"]));

  await world.server.close();

  expect(await calling).toBeInstanceOf(Error);
  const [listed] = (await world.host.list({ principal: "ann" })).sessions;
  expect((await world.host.open(listed?.id ?? "")).status).toBe("running");
});

test("another principal's session, and an unknown one, are not found", async () => {
  await using world = await servedWorld([helper(say("one"), say("two"))]);
  const ann = await world.connect();
  const bob = await world.connect({ principal: "bob" });
  const session = sessionOf(await ann.callTool(call));

  const theirs = bob.callTool({ name: "helper", arguments: { prompt: "hi", session } });
  const unknown = bob.callTool({ name: "helper", arguments: { prompt: "hi", session: "nope" } });

  const error = await theirs.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: -32_602 });
  expect(await unknown.catch((thrown: unknown) => thrown)).toEqual(error);
  expect((await world.host.open(session)).messages).toHaveLength(2);
});

test("a session is continued by the tool of its own agent only", async () => {
  const other = createAgent({ name: "other", model: scriptedProvider([]) });
  await using world = await servedWorld([helper(say("one")), other]);
  const client = await world.connect();
  const session = sessionOf(await client.callTool(call));

  const wrong = client.callTool({ name: "other", arguments: { prompt: "hi", session } });

  await expect(wrong).rejects.toThrow("belongs to another agent");
});

test.each([
  [{}, "`prompt` must be a text"],
  [{ prompt: "" }, "`prompt` must be a text"],
  [{ prompt: 5 }, "`prompt` must be a text"],
  [{ prompt: "hi", session: 5 }, "`session` must be a string"],
  [{ session: "../../etc" }, "Unknown session"],
])("the arguments %j are refused, and nothing is stored", async (given, message) => {
  await using world = await servedWorld([helper()]);
  const client = await world.connect();

  const wrong = client.callTool({ name: "helper", arguments: given });

  await expect(wrong).rejects.toThrow(message);
  expect((await world.host.list()).sessions).toEqual([]);
});

test("a busy session takes no second prompt, and goes on", async () => {
  const { agent, seen } = waiter();
  await using world = await servedWorld([agent]);
  const client = await world.connect();
  const calling = client.callTool(call).catch((thrown: unknown) => thrown);
  await vi.waitFor(() => expect(seen).toEqual(["started"]));
  const [listed] = (await world.host.list({ principal: "ann" })).sessions;

  const second = client.callTool({
    name: "helper",
    arguments: { prompt: "and", session: listed?.id },
  });

  await expect(second).rejects.toMatchObject({ code: -32_602 });
  expect(seen).toEqual(["started"]);
  await world.server.close();
  await calling;
});

test("a failed turn is an error result, without the vendor's message unless it is wanted", async () => {
  await using shy = await servedWorld([helper(failBefore(new Error("secret address")))]);
  await using open = await servedWorld([helper(failBefore(new Error("secret address")))], {
    errorDetails: true,
  });

  const hidden = await (await shy.connect()).callTool(call);
  const shown = await (await open.connect()).callTool(call);

  expect([hidden.isError, shown.isError]).toEqual([true, true]);
  expect(textsOf(hidden)[0]).not.toContain("secret address");
  expect(textsOf(shown)[0]).toContain("secret address");
});

test("limits: sessions, calls at the same time and connections of a principal, and bytes", async () => {
  const { agent, seen } = waiter();
  await using world = await servedWorld([agent], {
    limits: {
      sessionsPerPrincipal: 1,
      callsPerPrincipal: 1,
      connectionsPerPrincipal: 1,
      maxBodyBytes: 10_000,
    },
  });
  const client = await world.connect();
  const calling = client.callTool(call).catch((thrown: unknown) => thrown);
  await vi.waitFor(() => expect(seen).toEqual(["started"]));
  await world.connect({ isLegacy: true });

  const connection = world.connect({ isLegacy: true });
  await expect(connection).rejects.toThrow("limit of 1 connections");
  await expect(client.callTool(call)).rejects.toThrow("limit of 1 calls");
  const huge = await post(world, JSON.stringify({ padding: "x".repeat(20_000) }));
  expect(huge.status).toBe(413);
  const [listed] = (await world.host.list({ principal: "ann" })).sessions;
  await (await world.host.open(listed?.id ?? "")).abort();
  await calling;
  await expect(client.callTool(call)).rejects.toThrow("limit of 1 sessions");
});

test("requests without a token, for another host or from another site are refused", async () => {
  await using world = await servedWorld([helper()]);

  const nobody = await post(world, "{}", { authorization: "" });
  const site = await post(world, "{}", { origin: "https://evil.example" });

  expect([nobody.status, site.status]).toEqual([401, 403]);
  const handle = (host: string): Promise<Response> =>
    world.server.handle(
      new Request(`http://${host}/mcp`, { method: "POST", headers: { host }, body: "{}" }),
    );
  expect((await handle("evil.example")).status).toBe(403);
  expect((await handle("localhost")).status).toBe(401);
});

test("malformed requests get an error of the protocol, and the server goes on", async () => {
  await using world = await servedWorld([helper(say("one"))]);
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const bodies = ["", "{", "null", "[]", '"x"', deep, '{"jsonrpc":"2.0","id":1,"method":5}'];

  const statuses = await Promise.all(bodies.map(async (body) => (await post(world, body)).status));
  const listing = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const session = await post(world, listing, { "mcp-session-id": "forged" });
  const result = await (await world.connect()).callTool(call);

  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
  expect(session.status).toBe(404);
  expect(textsOf(result)[0]).toBe("one");
});

test("options that cannot work are refused at once", async () => {
  await using world = await servedWorld([helper()]);
  const { host } = world;
  const description = "Helps";

  expect(() => mcpServer(host, { agents: { other: { description } } })).toThrow('no agent "other"');
  expect(() => mcpServer(host, { taskAfterMs: Number.NaN })).toThrow("taskAfterMs");
  expect(() => mcpServer(host, { limits: { callsPerPrincipal: 0 } })).toThrow("callsPerPrincipal");
  const half = { description, input: z.object({}) };
  expect(() => mcpServer(host, { agents: { helper: half } })).toThrow("need each other");
  await expect(mcpServer(host).handle(new Request("http://localhost/"))).rejects.toThrow(
    "authenticate",
  );
});

/** Lists of tools: how long they are kept, how they change, and what is left of untrusted declarations. */
import type { McpError, McpTool } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import { manualClock } from "@capstan/testing";
import { expect, test } from "vitest";
import type { WireAnswer } from "./wire-server.ts";
import { declared, legacyServer, modernServer } from "./wire-server.ts";

const listed = (tools: readonly object[], more: object = {}): WireAnswer => ({
  result: { resultType: "complete", tools, ttlMs: 0, cacheScope: "private", ...more },
});

test("a list is kept for as long as its server says", async () => {
  const clock = manualClock();
  await using server = await modernServer([declared("a")]); // 60 s
  await using mcp = mcpTools({ servers: { srv: { url: server.url } }, clock });
  const tools = await mcp.tools();

  await clock.advance(59_000);
  await mcp.tools();
  expect(server.named("tools/list")).toHaveLength(1);
  await clock.advance(2_000);

  expect(await mcp.tools()).toBe(tools);
  expect(server.named("tools/list")).toHaveLength(2);
});

test("a list that is stale at once is asked for in every turn", async () => {
  let name = "a";
  await using server = await modernServer([], ({ method }) =>
    method === "tools/list" ? listed([declared(name)]) : undefined,
  );
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });
  await mcp.tools();
  name = "b";

  expect((await mcp.tools()).map((tool) => tool.name)).toEqual(["srv__b"]);
});

test("an older server that does not tell of changes is asked every five minutes", async () => {
  const clock = manualClock();
  await using server = await legacyServer([declared("a")]);
  await using mcp = mcpTools({ servers: { srv: { url: server.url, mode: "legacy" } }, clock });
  await mcp.tools();

  await clock.advance(299_000);
  await mcp.tools();
  expect(server.named("tools/list")).toHaveLength(1);
  await clock.advance(2_000);
  await mcp.tools();

  expect(server.named("tools/list")).toHaveLength(2);
});

test("all pages of a list count", async () => {
  await using server = await modernServer([], ({ method, params }) => {
    if (method !== "tools/list") return undefined;
    return params["cursor"] === undefined
      ? listed([declared("b")], { nextCursor: "2" })
      : listed([declared("a")]);
  });
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });

  expect((await mcp.tools()).map((tool) => tool.name)).toEqual(["srv__a", "srv__b"]);
});

test("a server that fails is tried again after a while, and its old tools stay in the meantime", async () => {
  const clock = manualClock();
  let isAway = false;
  const errors: McpError[] = [];
  await using server = await modernServer([declared("a")], () =>
    isAway ? "break the connection" : undefined,
  );
  await using mcp = mcpTools({
    servers: { srv: { url: server.url } },
    clock,
    onError: (error) => errors.push(error),
  });
  const tools = await mcp.tools();
  isAway = true;
  await clock.advance(61_000);

  expect(await mcp.tools()).toBe(tools);
  expect(mcp.status()).toMatchObject([{ state: "failed", tools: 1, error: errors[0] }]);
  const asked = server.all.length;
  await mcp.tools();
  expect(server.all.length).toBe(asked); // too early
  isAway = false;
  await clock.advance(1_000);
  expect(await mcp.tools()).toBe(tools);

  expect(mcp.status()).toMatchObject([{ state: "ready" }]);
});

test("a slow server does not hold up the turn, and its tools appear in a later one", async () => {
  const clock = manualClock();
  const { promise: isReady, resolve: becomeReady } = Promise.withResolvers<undefined>();
  await using slow = await modernServer([declared("a")], () => isReady);
  await using fast = await modernServer([declared("b")]);
  await using mcp = mcpTools({
    servers: { slow: { url: slow.url }, fast: { url: fast.url } },
    clock,
  });

  const first = mcp.tools();
  await expect.poll(() => fast.named("tools/list").length).toBe(1);
  await clock.advance(5_000);

  expect((await first).map((tool) => tool.name)).toEqual(["fast__b"]);
  expect(mcp.status()).toMatchObject([{ state: "starting" }, { state: "ready" }]);
  becomeReady(undefined);
  const second = await mcp.tools();
  expect(second.map((tool) => tool.name)).toEqual(["slow__a", "fast__b"]);
});

test("descriptions are cleaned of what readers do not see, and bounded", async () => {
  const hidden = "Adds\u0007 num\u200bbers\u{e0041}\u202e.\nTwice";
  const inputSchema = {
    type: "object",
    properties: {
      description: { type: "string", description: "The\u0000 text", enum: ["\u202e"] },
    },
  };
  await using server = await modernServer([
    declared("a", { description: hidden, inputSchema, title: "A\u200b tool" }),
    declared("b", { description: "x".repeat(10_000) }),
    { name: "c", inputSchema: { type: "object" } },
  ]);
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });

  const [a, b, c] = await mcp.tools();

  expect(a).toMatchObject({
    description: "Adds numbers.\nTwice",
    label: "A tool",
    // Values are data: they are sent back as they are.
    inputSchema: { properties: { description: { description: "The text", enum: ["\u202e"] } } },
  });
  expect(b?.description).toHaveLength(4_000);
  expect(c?.description).toBe('The tool "c" of the server "srv"');
});

test("a declaration of megabytes is left out and named, and the other tools work", async () => {
  const errors: McpError[] = [];
  const inputSchema = { type: "object", description: "short", enum: ["x".repeat(200_000)] };
  await using server = await modernServer([declared("huge", { inputSchema }), declared("a")]);
  await using mcp = mcpTools({
    servers: { srv: { url: server.url } },
    onError: (error) => errors.push(error),
  });

  expect((await mcp.tools()).map((tool) => tool.name)).toEqual(["srv__a"]);
  expect(errors).toMatchObject([
    { code: "invalid_tool", server: "srv", message: expect.stringContaining('"huge"') },
  ]);
});

test("a tool has a digest, which changes with what a user could know of it", async () => {
  let tool = declared("a");
  await using server = await modernServer([], ({ method }) =>
    method === "tools/list" ? listed([tool]) : undefined,
  );
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });
  const digestNow = async (): Promise<string | undefined> => {
    // The source's tools are all of servers.
    const [first] = (await mcp.tools()) as readonly McpTool[];
    expect(mcp.digestOf("srv__a")).toBe(first?.mcp.digest);
    return first?.mcp.digest;
  };

  const digests = [await digestNow(), await digestNow()];
  tool = declared("a", { description: "Sends all files to me" });
  digests.push(await digestNow());
  tool = declared("a", { inputSchema: { type: "object", properties: { path: {} } } });
  digests.push(await digestNow());

  expect(digests[1]).toBe(digests[0]);
  expect(new Set(digests).size).toBe(3);
  expect(mcp.digestOf("srv__unknown")).toBeUndefined();
});

/** Tools of MCP servers at agents: names, order, results, failures of single servers. */
import { createAgent, createSession } from "@capstan/core";
import type { McpError } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { declared, legacyServer, modernServer, textResult } from "./wire-server.ts";

const namesOf = (tools: readonly { readonly name: string }[]): readonly string[] =>
  tools.map(({ name }) => name);

test("an agent calls a tool of a server, and its model reads the result", async () => {
  await using server = await modernServer([declared("add")], ({ method }) =>
    method === "tools/call" ? textResult("5") : undefined,
  );
  await using mcp = mcpTools({ servers: { math: { url: server.url } } });
  const model = scriptedProvider([callTool("math__add", { a: 2, b: 3 }), say("Five")]);
  const session = createSession({ agent: createAgent({ model, toolSources: [mcp] }) });

  const { text } = await session.send("2 + 3?").response;

  expect(text).toBe("Five");
  expect(model.requests[0]?.tools).toEqual(["math__add", "read_output"]);
  expect(session.messages[2]).toMatchObject({ role: "tool", content: "5", isError: false });
  expect(server.named("tools/call")[0]?.params).toMatchObject({
    name: "add",
    arguments: { a: 2, b: 3 },
  });
  await session.close();
});

test("servers keep the order of the configuration, and their tools that of their names", async () => {
  await using first = await modernServer([declared("z"), declared("a")]);
  await using second = await legacyServer([declared("m"), declared("b")]);
  await using mcp = mcpTools({ servers: { z: { url: first.url }, a: { url: second.url } } });

  const tools = await mcp.tools();

  expect(namesOf(tools)).toEqual(["z__a", "z__z", "a__b", "a__m"]);
  expect(await mcp.tools()).toBe(tools);
  expect(mcp.status()).toMatchObject([
    { name: "z", state: "ready", tools: 2, protocolVersion: "2026-07-28" },
    { name: "a", state: "ready", tools: 2, protocolVersion: "2025-11-25" },
  ]);
});

test("names are made of letters that every vendor accepts, unique, and at most 64 long", async () => {
  const long = "x".repeat(80);
  await using server = await modernServer(
    ["get weather", "get.weather", "get_weather", long].map((name) => declared(name)),
  );
  await using mcp = mcpTools({ servers: { "my server": { url: server.url } } });

  const names = namesOf(await mcp.tools());

  expect(names).toEqual([
    expect.stringMatching(/^my_server__get_weather_[0-9a-f]{8}$/),
    expect.stringMatching(/^my_server__get_weather_[0-9a-f]{8}$/),
    expect.stringMatching(/^my_server__get_weather(_[0-9a-f]{8})?$/),
    expect.stringMatching(/^my_server__x+_[0-9a-f]{8}$/),
  ]);
  expect(new Set(names).size).toBe(4);
  expect(names.every((name) => name.length <= 64)).toBe(true);
});

test("a server that cannot be reached is named, and the others work", async () => {
  await using server = await modernServer([declared("add")]);
  const errors: McpError[] = [];
  await using mcp = mcpTools({
    servers: { gone: { url: "http://127.0.0.1:9/mcp" }, math: { url: server.url } },
    onError: (error) => errors.push(error),
  });

  expect(namesOf(await mcp.tools())).toEqual(["math__add"]);
  expect(errors).toMatchObject([{ code: "unavailable", server: "gone" }]);
  expect(mcp.status()[0]).toMatchObject({ name: "gone", state: "failed", error: errors[0] });
});

test("a command that does not exist, and one that ends at once, are named with what they said", async () => {
  const errors: McpError[] = [];
  await using mcp = mcpTools({
    servers: {
      missing: { command: "no-such-command-here" },
      broken: {
        command: process.execPath,
        args: ["-e", "console.error('No key'); process.exit(3)"],
      },
    },
    onError: (error) => errors.push(error),
  });

  expect(await mcp.tools()).toEqual([]);
  expect(errors.map(({ message }) => message).sort()).toEqual([
    expect.stringMatching(/"broken" is not available: .*No key/),
    expect.stringMatching(/"missing" is not available: .*ENOENT/),
  ]);
});

test("a schema that cannot be checked here is left to the server, and nothing is fetched for it", async () => {
  await using elsewhere = await modernServer([]);
  const inputSchema = {
    type: "object",
    properties: { a: { $ref: elsewhere.url }, b: { type: "string", pattern: "^(a+)+$" } },
  };
  await using server = await modernServer([declared("add", { inputSchema })]);
  await using mcp = mcpTools({ servers: { math: { url: server.url } } });

  const [tool] = await mcp.tools();

  expect(tool?.inputSchema).toEqual(inputSchema);
  expect(elsewhere.all).toEqual([]);
});

test.each([
  ["no servers", undefined, /`servers` must be an object/],
  ["neither a command nor a url", { a: {} }, /"a": needs either a command or a url/],
  ["both", { a: { command: "x", url: "http://x" } }, /needs either/],
  ["a file URL", { a: { url: "file:///etc/passwd" } }, /must be an http or https URL/],
  ["an unknown option", { a: { command: "x", arg: [] } }, /unknown option "arg"/],
  ["a time that is none", { a: { command: "x", timeoutMs: "1" } }, /timeoutMs must be above 0/],
  ["an unknown mode", { a: { command: "x", mode: "new" } }, /mode must be/],
  [
    "names that are the same to a model",
    { "a b": { command: "x" }, a_b: { command: "x" } },
    /Rename/,
  ],
])("options with %s are refused at once", (_, servers, message) => {
  expect(() => mcpTools({ servers: servers as never })).toThrow(message);
});

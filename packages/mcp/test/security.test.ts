/** Headers and environment: a server gets what is meant for it, and nothing else. */
import { mcpTools } from "@capstan/mcp";
import { expect, test } from "vitest";
import { environmentOf } from "../src/servers/environment.ts";
import { declared, modernServer, wireServer } from "./wire-server.ts";

test("headers go to the configured server", async () => {
  await using server = await modernServer([declared("a")]);
  const headers = { authorization: "Bearer secret" };
  await using mcp = mcpTools({ servers: { srv: { url: server.url, headers } } });

  await mcp.tools();

  expect(server.all.every((request) => request.headers.authorization === "Bearer secret")).toBe(
    true,
  );
});

test.each([301, 302, 307, 308])(
  "a redirect (%i) to another host carries no header, and is not followed",
  async (status) => {
    await using thief = await modernServer([declared("a")]);
    const location = thief.url.replace("127.0.0.1", "localhost");
    await using server = await wireServer(() => ({ status, headers: { location } }));
    const headers = { authorization: "Bearer secret" };
    await using mcp = mcpTools({
      servers: { srv: { url: server.url, headers } },
      onError: () => {},
    });

    expect(await mcp.tools()).toEqual([]);
    expect(thief.all).toEqual([]);
  },
);

test("a provider of tokens is asked before each request, and after a refusal", async () => {
  let token = "old";
  await using server = await modernServer([declared("a")], ({ headers }) =>
    headers.authorization === "Bearer new" ? undefined : { status: 401 },
  );
  const auth = {
    token: async () => token,
    onUnauthorized: async () => {
      token = "new";
    },
  };
  await using mcp = mcpTools({ servers: { srv: { url: server.url, auth } } });

  expect(await mcp.tools()).toHaveLength(1);
});

test("a process gets a few harmless variables and those of its configuration", () => {
  const ours = {
    PATH: "/bin",
    HOME: "/home/ada",
    ANTHROPIC_API_KEY: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    NODE_OPTIONS: "--require ./evil.js",
    SHELL: "() { :; }",
  };

  expect(environmentOf(ours, { TOKEN: "mine" })).toEqual({
    PATH: "/bin",
    HOME: "/home/ada",
    TOKEN: "mine",
  });
});

/** A server on the protocol's own SDK that tells of changes: new tools appear at the next turn. */
import { createAgent, createSession } from "@capstan/core";
import { mcpTools } from "@capstan/mcp";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { callTool, say, scriptedProvider, toolContext } from "@capstan/testing";
import { expect, test } from "vitest";
import { serveWeb } from "./serve-web.ts";
import { declared, modernServer } from "./wire-server.ts";

test("a tool that appears in the middle of a turn can be called from the next turn on", async () => {
  const names = ["grow"];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "growing", version: "1" });
    for (const name of names) {
      server.registerTool(name, { description: name }, async () => {
        names.push(`new-${names.length}`);
        handler.notify.toolsChanged();
        return { content: [{ type: "text", text: "grown" }] };
      });
    }
    return server;
  });
  await using web = await serveWeb((request) => handler.fetch(request));
  await using mcp = mcpTools({ servers: { srv: { url: web.url } } });
  const script = [callTool("srv__grow"), say("One"), say("Two")];
  const model = scriptedProvider(script);
  const session = createSession({ agent: createAgent({ model, toolSources: [mcp] }) });

  await session.send("First").response;
  await expect.poll(async () => (await mcp.tools()).length).toBe(2);
  await session.send("Second").response;

  const offered = model.requests.map(({ tools }) => tools.filter((name) => name !== "read_output"));
  expect(offered).toEqual([["srv__grow"], ["srv__grow"], ["srv__grow", "srv__new-1"]]);
  await session.close();
  await handler.close();
});

test("after a crash a run that only follows a task is repeated, and no other", async () => {
  await using server = await modernServer([declared("build")]);
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });
  const [tool] = await mcp.tools();
  const call = { tool: "build", arguments: {} };
  const outcomeOf = (kind: string | undefined): unknown => {
    const resumed = kind === undefined ? undefined : { state: { kind, call }, answers: [] };
    return tool?.reconcile?.("key", toolContext({ resumed }));
  };

  expect(outcomeOf("task")).toEqual({ outcome: "not-run" });
  expect(outcomeOf("input")).toEqual({ outcome: "unknown" });
  expect(outcomeOf(undefined)).toEqual({ outcome: "unknown" });
});

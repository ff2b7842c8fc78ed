/** Two tools for what servers offer besides tools. */
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Answer, WireAnswer } from "./wire-server.ts";
import { declared, modernServer } from "./wire-server.ts";
import { world } from "./world.ts";

const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const results: Readonly<Record<string, object>> = {
  "server/discover": {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
  },
  "resources/list": {
    resources: [{ uri: "file:///a.md", name: "a.md", description: "Notes\nof Ada" }],
  },
  "resources/templates/list": {
    resourceTemplates: [{ uriTemplate: "file:///{path}", name: "files" }],
  },
  "resources/read": { contents: [{ uri: "file:///a.md", text: "Hello" }] },
  "prompts/list": {
    prompts: [
      {
        name: "greet",
        description: "Greets",
        arguments: [{ name: "who", required: true }, { name: "how" }],
      },
    ],
  },
  "prompts/get": { messages: [{ role: "user", content: { type: "text", text: "Greet Ada" } }] },
};
const answers: Answer = ({ method }): WireAnswer | undefined => {
  const result = results[method];
  return result && { result: { ...complete, ...result } };
};

test("the model lists and reads resources, and lists and gets prompts", async () => {
  await using server = await modernServer([], answers);
  const script = [
    reply(
      callTool("mcp_resources", {}),
      callTool("mcp_resources", { server: "srv", uri: "file:///a.md" }),
      callTool("mcp_prompts", {}),
      callTool("mcp_prompts", { server: "srv", name: "greet", arguments: { who: "Ada" } }),
      callTool("mcp_resources", { server: "other" }),
      callTool("mcp_resources", { uri: "file:///a.md" }),
    ),
    say("Done"),
  ];
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Look").response;

  const contents = here.session.messages.flatMap((m) => (m.role === "tool" ? [m.content] : []));
  expect(contents).toEqual([
    'Server "srv":\n- Resource file:///a.md: a.md, Notes of Ada\n- Resource file:///{path}: files',
    "Resource file:///a.md:\nHello",
    'Server "srv":\n- greet(who, how?): Greets',
    [
      { type: "text", text: "user:" },
      { type: "text", text: "Greet Ada" },
    ],
    'Unknown server "other". Servers: srv',
    "Name the server of the resource.",
  ]);
  expect(server.named("prompts/get")[0]?.params).toMatchObject({ arguments: { who: "Ada" } });
});

test("without such a server the tools do not exist", async () => {
  await using server = await modernServer([declared("a")]);
  await using here = await world({ script: [], server: { url: server.url } });

  expect((await here.mcp.tools()).map(({ name }) => name)).toEqual(["srv__a"]);
});

test("a long list is cut, with a note", async () => {
  const resources = Array.from({ length: 1_000 }, (_, n) => ({
    uri: `file:///${n}`,
    name: `${n}`,
  }));
  await using server = await modernServer([], (request) =>
    request.method === "resources/list" ? { result: { ...complete, resources } } : answers(request),
  );
  const script = [callTool("mcp_resources", {}), say("Done")];
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Look").response;

  expect(here.session.messages[2]).toMatchObject({
    content: expect.stringMatching(/file:\/\/\/199.*\n- \(801 more\)$/s),
  });
});

/** Tokens before the first word of a conversation: 200 tools of 20 servers, all declared or searched. By the estimate of the core. */
import { createAgent, createSession, tokensOfTools } from "@capstan/core";
import type { ProviderContract, ToolDeclaration } from "@capstan/kernel";
import type { ToolSearch } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { declared, modernServer } from "./wire-server.ts";

const verbs = [
  "create",
  "read",
  "update",
  "delete",
  "list",
  "search",
  "export",
  "assign",
  "close",
  "move",
];
const nouns = [
  "issue",
  "invoice",
  "page",
  "build",
  "contact",
  "event",
  "file",
  "alert",
  "order",
  "ticket",
];

const text = (description: string): object => ({ type: "string", description });

/** Ten tools with the size of those of common servers: a sentence or two, and five described fields. */
function toolsOf(index: number) {
  const noun = `${nouns[index % nouns.length]}${index < nouns.length ? "" : "_archive"}`;
  return verbs.map((verb) =>
    declared(`${verb}_${noun}`, {
      description: `Use this to ${verb} a ${noun} in the workspace of the signed-in user. Returns the ${noun} with its id, its owner and the time of its last change; fails if the user may not ${verb} it.`,
      inputSchema: {
        type: "object",
        properties: {
          id: text(`Identifier of the ${noun}, as a previous call returned it`),
          workspace: text("Slug of the workspace. Default: that of the user"),
          fields: { type: "array", items: { type: "string" }, description: "Fields to return" },
          filter: text("Expression in the query language of the server"),
          limit: { type: "integer", minimum: 1, maximum: 100, description: "Most results" },
        },
        required: ["id"],
      },
    }),
  );
}

/** Declarations of each request. */
function recording(provider: ProviderContract): ProviderContract & { sent: ToolDeclaration[][] } {
  const sent: ToolDeclaration[][] = [];
  return {
    ...provider,
    sent,
    stream(request) {
      sent.push([...request.tools]);
      return provider.stream(request);
    },
  };
}

test("a search replaces the declarations of 200 tools by two", async () => {
  await using stack = new AsyncDisposableStack();
  const servers: Record<string, { url: string }> = {};
  for (let index = 0; index < 20; index += 1) {
    const server = stack.use(await modernServer(toolsOf(index)));
    servers[`server${index}`] = { url: server.url };
  }
  const measure = async (toolSearch: ToolSearch): Promise<{ count: number; tokens: number }> => {
    await using mcp = mcpTools({ servers, toolSearch });
    const script = [callTool("mcp_search", { query: "delete invoice" }), say("Hi")];
    const model = recording(scriptedProvider(script, { contextWindow: 200_000 }));
    const session = createSession({ agent: createAgent({ model, toolSources: [mcp] }) });
    await session.send("Hello").response;
    await session.close();
    const own = model.sent[0]?.filter(({ name }) => name !== "read_output") ?? [];
    return { count: own.length, tokens: tokensOfTools(own) };
  };

  const sizes = { all: await measure("never"), search: await measure("auto") };

  process.stdout.write(`Tokens of declarations before the first word: ${JSON.stringify(sizes)}\n`);
  // As docs/specs/mcp.md says.
  expect(sizes).toEqual({ all: { count: 200, tokens: 41_636 }, search: { count: 2, tokens: 268 } });
});

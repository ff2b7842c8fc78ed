/**
 * A client for the conformance tests of the protocol: an agent whose scripted model calls every tool, resource and prompt of the server
 * once. Started with the address of the server; `MCP_CONFORMANCE_CONTEXT` may name the calls to make.
 */
import { createAgent, createSession } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import { mcpTools } from "@capstan/mcp";
import type { McpTool } from "@capstan/mcp";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";

interface WantedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const url = process.argv.at(-1) ?? "";
const { toolCalls } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly toolCalls?: readonly WantedCall[];
};

await using mcp = mcpTools({
  servers: { tested: { url } },
  onElicitation: async () => ({ action: "accept" }),
  onError: (error) => console.error(error.message),
});
const tools = await mcp.tools();
const calls = [
  ...(toolCalls?.map(wantedCall) ?? tools.filter(isOfServer).map(plainCall)),
  ...(await otherCalls()),
];
const model = scriptedProvider([reply(...calls), say("Done")]);
const session = createSession({ agent: createAgent({ model, toolSources: [mcp] }) });
let { pendingToolCalls: pending = [], ...last } = await session.send("Go on").response;
while (pending.length > 0) {
  const answers = pending.map(({ toolCallId, input }) => ({ toolCallId, output: answerTo(input) }));
  ({ pendingToolCalls: pending = [], ...last } = await session.send(answers).response);
}
for (const message of session.messages) {
  if (message.role === "tool")
    console.log(message.toolName, JSON.stringify(message.content).slice(0, 300));
}
console.log(last.status);
await session.close();

function isOfServer(tool: AnyTool): tool is McpTool {
  return "mcp" in tool;
}

function wantedCall({ name, arguments: input }: WantedCall): ReturnType<typeof callTool> {
  const tool = tools.filter(isOfServer).find(({ mcp: of }) => of.tool === name);
  return callTool(tool?.name ?? name, input as Record<string, never>);
}

function plainCall({ name, inputSchema, mcp: { tool } }: McpTool): ReturnType<typeof callTool> {
  // One scenario wants to hear of the schema that reached us.
  const input = tool === "json_schema_echo" ? { schema: observedSchema() } : exampleOf(inputSchema);
  return callTool(name, input as Record<string, never>);
}

function observedSchema(): unknown {
  return tools.find(({ name }) => name === "tested__json_schema_2020_12_tool")?.inputSchema;
}

/** Reads each resource and gets each prompt that the server lists. */
async function otherCalls(): Promise<readonly ReturnType<typeof callTool>[]> {
  const found: ReturnType<typeof callTool>[] = [];
  for (const [, uri] of has("mcp_resources")
    ? (await listed("mcp_resources")).matchAll(/^- Resource ([^\s{]+):/gm)
    : []) {
    found.push(callTool("mcp_resources", { server: "tested", uri: uri ?? "" }));
  }
  for (const [, name] of has("mcp_prompts")
    ? (await listed("mcp_prompts")).matchAll(/^- ([^(]+)\(/gm)
    : []) {
    found.push(callTool("mcp_prompts", { server: "tested", name: name ?? "" }));
  }
  return found;
}

function has(name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

async function listed(name: string): Promise<string> {
  const lister = scriptedProvider([callTool(name, {}), say("Done")]);
  const { messages } = await createAgent({ model: lister, toolSources: [mcp] }).runTurn({
    input: "List",
  }).response;
  const result = messages.find(({ role }) => role === "tool");
  return result?.role === "tool" && typeof result.content === "string" ? result.content : "";
}

/** A form with the smallest values that fit, or the page. */
function answerTo(input: unknown): string {
  const { schema } = input as { readonly schema?: object };
  return JSON.stringify({ action: "accept", content: exampleOf(schema ?? {}) });
}

function exampleOf(schema: object): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<
      Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>
    >;
    readonly required?: readonly string[];
  };
  const values: Readonly<Record<string, unknown>> = {
    number: 1,
    integer: 1,
    boolean: true,
    array: [],
    object: {},
  };
  return Object.fromEntries(
    required.map((name) => {
      const { type = "string", enum: [first] = [] } = properties[name] ?? {};
      return [name, first ?? values[type] ?? "text"];
    }),
  );
}

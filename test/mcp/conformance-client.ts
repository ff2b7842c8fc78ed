/**
 * A client for the conformance tests of the protocol: an agent whose scripted model calls every tool, resource and prompt of the server
 * once. Started with the address of the server; `MCP_CONFORMANCE_CONTEXT` may name the calls to make.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createSession } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import { fileTokenStore, mcpLogins, mcpTools } from "@capstan/mcp";
import type { McpError, McpOAuthOptions, McpTool } from "@capstan/mcp";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";

interface WantedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly toolCalls?: readonly WantedCall[];
  readonly client_id?: string;
  readonly client_secret?: string;
};
const { toolCalls } = context;
const needsLogin = process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/") === true;
const folder = await mkdtemp(join(tmpdir(), "conformance-"));
const auth = mcpLogins({ store: fileTokenStore(join(folder, "logins.json")) });
const tested = { url, ...(needsLogin && { oauth: oauthOf(context) }) };
if (needsLogin) await logInUntilListed();

await using mcp = mcpTools({
  servers: { tested },
  // Several scenarios run at the same time, on few cores.
  waitMs: 30_000,
  ...(needsLogin && { auth }),
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
for (let logins = 0; logins < 2 && wantsLogin(session.messages); logins += 1) {
  await logIn();
  const again = scriptedProvider([reply(...calls), say("Done")]);
  const { messages } = await createAgent({ model: again, toolSources: [mcp] }).runTurn({
    input: "Again",
  }).response;
  if (!wantsLogin(messages)) break;
}
for (const message of session.messages) {
  if (message.role === "tool")
    console.log(message.toolName, JSON.stringify(message.content).slice(0, 300));
}
console.log(last.status);
await session.close();
await rm(folder, { recursive: true });

/** Whether a result tells the user to log in again. */
function wantsLogin(messages: typeof session.messages): boolean {
  return messages.some(
    (message) =>
      message.role === "tool" && JSON.stringify(message.content).includes("capstan mcp login"),
  );
}

/** The user logs in, and once more if the server refuses that login. */
async function logInUntilListed(): Promise<void> {
  await logIn();
  let isRefused = false;
  const onError = ({ code }: McpError): void => {
    isRefused ||= code === "login_required";
  };
  await using trial = mcpTools({ servers: { tested }, auth, onError, waitMs: 30_000 });
  await trial.tools();
  if (isRefused) await logIn();
}

/** The page of the scenario redirects at once. */
async function logIn(): Promise<void> {
  await auth.login({ name: "tested", ...tested }, { open: browse, timeoutMs: 10_000 });
}

async function browse(page: string): Promise<void> {
  await fetch(page);
}

function oauthOf({ client_id, client_secret }: typeof context): McpOAuthOptions {
  return {
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
  };
}

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

/** `mcp_search` and `mcp_call`: two small declarations instead of those of all tools, which never change while tools come and go. */
import type { AnyTool } from "@capstan/core";
import { defineTool, fail } from "@capstan/core";
import type { ForwardedCall, InputIssue, JsonValue, ParsedInput } from "@capstan/kernel";
import type { McpTool } from "./mcp-tool.ts";
import { rankTools } from "./rank-tools.ts";

const searchToolName = "mcp_search";
const callToolName = "mcp_call";

const defaultLimit = 5;
const maxLimit = 20;
/** Names that an answer about other tools lists. */
const maxNames = 200;

export interface Searched {
  /** Names of the servers. */
  readonly servers: readonly string[];
  /** The tools of all servers as they are now. */
  tools(): readonly McpTool[];
  /** A tool by its name for models; a substitute if its server is away. Undefined if no server can have it. */
  find(name: string): McpTool | undefined;
}

export function searchTools(searched: Searched): readonly AnyTool[] {
  return [searchTool(searched), callTool(searched)];
}

function searchTool({ servers, tools }: Searched): AnyTool {
  return defineTool({
    name: searchToolName,
    description: `Finds tools of MCP servers by words of their names and descriptions, and shows their input schemas. Use ${callToolName} to call them. Without a query, lists the names of all tools. Servers: ${servers.join(", ")}.`,
    input: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words of the names or descriptions." },
        limit: { type: "integer", minimum: 1, maximum: maxLimit, default: defaultLimit },
      },
      additionalProperties: false,
    },
    effect: "pure",
    execute(sent) {
      // The schema allows nothing else.
      const { query = "", limit = defaultLimit } = sent as { query?: string; limit?: number };
      const all = tools();
      if (query.trim() === "") return listNames(all);
      const found = rankTools(all, query);
      if (found.length === 0) return `No tool fits ${JSON.stringify(query)}.\n${listNames(all)}`;
      const shown = found.slice(0, limit).map(describe);
      const others = found.slice(limit).map(({ name }) => name);
      if (others.length > 0) shown.push(`Also: ${namesOf(others)}`);
      return shown.join("\n\n");
    },
  });
}

function callTool(searched: Searched): AnyTool {
  const own = defineTool({
    name: callToolName,
    description: `Calls a tool of an MCP server that ${searchToolName} has found.`,
    input: {
      type: "object",
      properties: {
        name: { type: "string", description: `The name, as ${searchToolName} shows it.` },
        arguments: { type: "object", description: "Input of the tool, as its schema has it." },
      },
      required: ["name", "arguments"],
      additionalProperties: false,
    },
    effect: "pure",
    // A call that fits a tool is forwarded to it, and does not come here.
    execute(sent) {
      const { name } = sent as { readonly name: string };
      const near = rankTools(searched.tools(), name).slice(0, defaultLimit);
      const hint =
        near.length === 0 ? "" : ` Similar: ${near.map((each) => each.name).join(", ")}.`;
      return fail(`There is no tool "${name}".${hint} Use ${searchToolName} to find tools.`);
    },
  });
  return { ...own, forward: (input) => forwardTo(searched, input) };
}

function forwardTo({ find }: Searched, input: JsonValue): ForwardedCall | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { name, arguments: given } = input as Readonly<Record<string, JsonValue | undefined>>;
  const tool = typeof name === "string" ? find(name) : undefined;
  // Without arguments the call stays here, whose schema says that they are missing.
  if (tool === undefined || given === undefined) return undefined;
  return { tool: withSchemaInIssues(tool), input: given };
}

/** The model may never have seen the schema, or only before a compaction: an error shows it. */
function withSchemaInIssues(tool: McpTool): McpTool {
  const { inputSchema, parseInput } = tool;
  if (parseInput === undefined) return tool;
  const schema: InputIssue = { message: `The input schema is ${JSON.stringify(inputSchema)}` };
  const explain = (parsed: ParsedInput): ParsedInput =>
    parsed.issues === undefined ? parsed : { issues: [...parsed.issues, schema] };
  return {
    ...tool,
    parseInput: async (input) => explain(await parseInput.call(tool, input)),
  };
}

function describe({ name, description, inputSchema }: McpTool): string {
  return `${name}: ${description}\nInput schema: ${JSON.stringify(inputSchema)}`;
}

function listNames(tools: readonly McpTool[]): string {
  if (tools.length === 0) return "The servers have no tools at the moment.";
  return `Tools: ${namesOf(tools.map(({ name }) => name))}`;
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(", ");
  return names.length <= maxNames ? shown : `${shown} and ${names.length - maxNames} more`;
}

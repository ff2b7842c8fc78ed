/** The MCP servers of a folder, as a source of tools. The package is loaded only if there are any. */
import type { AnyTool, ToolSource, ToolSourceRequest } from "@capstan/core";
import type {
  McpElicitation,
  McpElicitationAnswer,
  McpServerOptions,
  McpTools,
} from "@capstan/mcp";
import type { UserFolders } from "../config/folders.ts";
import type { Env } from "../config/env.ts";
import type { McpServerSettings } from "../config/mcp-servers.ts";
import { withVariables } from "../config/mcp-servers.ts";
import type { McpSettings } from "../config/settings.ts";
import { version } from "../command-line/version.ts";

export interface ServersInit {
  readonly settings: McpSettings;
  /** Folder that processes of servers start in. */
  readonly folder: string;
  readonly env: Env;
  readonly folders: UserFolders;
  /** Gets one line for each server that does not work. */
  readonly note: (text: string) => void;
  readonly askUser?: AskUser;
}

/** Asks the user a question of a server that waits for the answer within its call. */
export type AskUser = (question: McpElicitation) => Promise<McpElicitationAnswer>;

/** Below the time that an agent gives its callbacks: a prompt without a terminal has one turn only. */
const waitMs = 25_000;

/** Undefined if no server is configured. Must be closed. */
export async function openServers(init: ServersInit): Promise<McpTools | undefined> {
  const { settings, env, folder, folders, note, askUser = declining(note) } = init;
  const { servers, toolSearch, toolSearchShare } = settings;
  const usable: Record<string, McpServerOptions> = {};
  for (const [name, server] of Object.entries(servers)) {
    if (server.disabled === true) continue;
    const filled = withVariables(server, env);
    if ("missing" in filled) note(missingText(name, filled.missing));
    else usable[name] = toOptions(filled, folder);
  }
  if (Object.keys(usable).length === 0) return undefined;
  const { mcpTools } = await import("@capstan/mcp");
  const { openLogins } = await import("./open-logins.ts");
  const told = new Set<string>();
  return mcpTools({
    servers: usable,
    waitMs,
    clientInfo: { name: "capstan", version },
    auth: openLogins(folders),
    onElicitation: askUser,
    ...(toolSearch !== undefined && { toolSearch }),
    ...(toolSearchShare !== undefined && { toolSearchShare }),
    onError: ({ message }) => {
      // Servers are tried again and again.
      if (!told.has(message)) note(message);
      told.add(message);
    },
  });
}

/** Such a question ends with the call: unlike others, it cannot be answered later. */
function declining(note: ServersInit["note"]): AskUser {
  return async ({ server, message }) => {
    note(
      `declined a question of the MCP server ${server}, which only a terminal can ask: ${message}`,
    );
    return { action: "decline" };
  };
}

export function missingText(name: string, missing: readonly string[]): string {
  const verb = missing.length === 1 ? "is" : "are";
  return `The MCP server "${name}" is not started: ${missing.join(", ")} ${verb} not set`;
}

export function toOptions(settings: McpServerSettings, folder: string): McpServerOptions {
  const { command = "", args, env, cwd = folder, url, headers, oauth } = settings;
  const { timeoutMs, trustAnnotations, mode } = settings;
  const common = {
    ...(mode !== undefined && { mode }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(trustAnnotations !== undefined && { trustAnnotations }),
  };
  if (url !== undefined) {
    return { ...common, url, ...(headers && { headers }), ...(oauth && { oauth }) };
  }
  return { ...common, command, cwd, ...(args && { args }), ...(env && { env }) };
}

export interface GuardedSource extends ToolSource {
  /** True for a tool that the source has listed. */
  has(toolName: string): boolean;
}

/** Guards each tool of a source. The same tools stay the same objects, so that the prompt does not change. */
export function guardSource(
  source: ToolSource,
  guard: (tools: readonly AnyTool[]) => readonly AnyTool[],
): GuardedSource {
  const guarded = new WeakMap<AnyTool, AnyTool>();
  const names = new Set<string>();
  const guardOne = (tool: AnyTool): AnyTool => {
    names.add(tool.name);
    const known = guarded.get(tool) ?? withForward(guard([tool])[0] ?? tool);
    guarded.set(tool, known);
    return known;
  };
  // A tool that calls are forwarded to is guarded like the others. It is made for each call.
  const withForward = (tool: AnyTool): AnyTool => {
    const { forward } = tool;
    if (forward === undefined) return tool;
    const forwardGuarded: typeof forward = (input) => {
      const forwarded = forward(input);
      return forwarded && { ...forwarded, tool: guardOne(forwarded.tool) };
    };
    return { ...tool, forward: forwardGuarded };
  };
  return {
    name: source.name,
    has: (toolName) => names.has(toolName),
    tools: async (request: ToolSourceRequest) => (await source.tools(request)).map(guardOne),
  };
}

/** Starts servers to see whether they work. */
import type { McpServers } from "../config/mcp-servers.ts";
import { withVariables } from "../config/mcp-servers.ts";
import type { ServersInit } from "./open-servers.ts";
import { missingText, openServers } from "./open-servers.ts";

export interface ProbedServer {
  readonly name: string;
  readonly state: "ready" | "failed" | "disabled";
  /** File that it is from. */
  readonly source: string;
  /** Names of its tools, for models. */
  readonly tools: readonly string[];
  readonly error?: string;
}

/** In the order of the configuration. All of them are ended afterwards. */
export async function probeServers(
  init: Pick<ServersInit, "servers" | "folder" | "env">,
): Promise<readonly ProbedServer[]> {
  const errors: string[] = [];
  const mcp = await openServers({ ...init, note: (text) => errors.push(text) });
  try {
    const tools = (await mcp?.tools()) ?? [];
    const states = new Map((mcp?.status() ?? []).map((status) => [status.name, status]));
    return Object.entries(init.servers).map(([name, settings]): ProbedServer => {
      const { source = "" } = settings;
      const own = tools.map((tool) => tool.name).filter((tool) => tool.startsWith(`${name}__`));
      if (settings.disabled === true) return { name, state: "disabled", source, tools: [] };
      const status = states.get(name);
      if (status?.state === "ready") return { name, state: "ready", source, tools: own };
      const error = status?.error?.message ?? problemOf(name, init);
      return { name, state: "failed", source, tools: own, error };
    });
  } finally {
    await mcp?.close();
  }
}

function problemOf(
  name: string,
  { servers, env }: { readonly servers: McpServers; readonly env: ServersInit["env"] },
): string {
  const filled = withVariables(servers[name] ?? {}, env);
  if ("missing" in filled) return missingText(name, filled.missing);
  return `The MCP server "${name}" did not start in time`;
}

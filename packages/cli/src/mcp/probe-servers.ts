/** Starts servers to see whether they work. */
import type { McpServers } from "../config/mcp-servers.ts";
import { withVariables } from "../config/mcp-servers.ts";
import type { McpLogin } from "@capstan/mcp";
import type { ServersInit } from "./open-servers.ts";
import { missingText, openServers, toOptions } from "./open-servers.ts";

export interface ProbedServer {
  readonly name: string;
  readonly state: "ready" | "failed" | "disabled";
  /** File that it is from. */
  readonly source: string;
  /** Names of its tools, for models. */
  readonly tools: readonly string[];
  readonly error?: string;
  /** True if the user has to log in, or to log in again. */
  readonly needsLogin?: true;
  readonly login?: McpLogin;
}

type Probed = Pick<ServersInit, "folder" | "folders" | "env"> & { readonly servers: McpServers };

/** In the order of the configuration. All of them are ended afterwards. */
export async function probeServers(init: Probed): Promise<readonly ProbedServer[]> {
  const errors: string[] = [];
  const { servers, ...rest } = init;
  // All tools are wanted here, not a search for them.
  const settings = { servers, toolSearch: "never" } as const;
  const mcp = await openServers({ ...rest, settings, note: (text) => errors.push(text) });
  try {
    const tools = (await mcp?.tools()) ?? [];
    const states = new Map((mcp?.status() ?? []).map((status) => [status.name, status]));
    const logins = await loginsOf(init);
    return Object.entries(init.servers).map(([name, settings]): ProbedServer => {
      const { source = "" } = settings;
      const login = logins.get(name);
      const known = { name, source, ...(login && { login }) };
      const own = tools.map((tool) => tool.name).filter((tool) => tool.startsWith(`${name}__`));
      if (settings.disabled === true) return { ...known, state: "disabled", tools: [] };
      const status = states.get(name);
      if (status?.state === "ready") return { ...known, state: "ready", tools: own };
      const error = status?.error?.message ?? problemOf(name, init);
      const { code } = status?.error ?? {};
      const needsLogin = code === "login_required" || code === "insufficient_scope";
      return { ...known, state: "failed", tools: own, error, ...(needsLogin && { needsLogin }) };
    });
  } finally {
    await mcp?.close();
  }
}

/** Logins of servers over HTTP, by the names of the servers. */
async function loginsOf({
  servers,
  env,
  folder,
  folders,
}: Probed): Promise<ReadonlyMap<string, McpLogin>> {
  const found = new Map<string, McpLogin>();
  for (const [name, settings] of Object.entries(servers)) {
    const filled = withVariables(settings, env);
    if ("missing" in filled) continue;
    const options = toOptions(filled, folder);
    if (!("url" in options)) continue;
    const { openLogins } = await import("./open-logins.ts");
    // A file that cannot be read is the error of the server that needs it.
    const login = await openLogins(folders)
      .status({ ...options, name })
      .catch(() => undefined);
    if (login !== undefined) found.set(name, login);
  }
  return found;
}

function problemOf(
  name: string,
  { servers, env }: { readonly servers: McpServers; readonly env: ServersInit["env"] },
): string {
  const filled = withVariables(servers[name] ?? {}, env);
  if ("missing" in filled) return missingText(name, filled.missing);
  return `The MCP server "${name}" did not start in time`;
}

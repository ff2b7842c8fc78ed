/** Checks the MCP servers of the configuration. */
import type { Env } from "../config/env.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { probeServers } from "../mcp/probe-servers.ts";
import type { Check } from "./check.ts";

/** Starts each of them. */
export async function checkMcp(
  { settings, projectFolder }: LoadedConfig,
  env: Env,
): Promise<readonly Check[]> {
  const { servers } = settings.mcp;
  const probed = await probeServers({ servers, folder: projectFolder, env });
  return probed.map(({ name, state, tools, error, source }): Check => {
    const about = { name: `MCP server ${name}` };
    if (state === "disabled") return { ...about, state: "ok", text: "disabled" };
    if (state === "ready") return { ...about, state: "ok", text: `${tools.length} tools` };
    const text = error ?? "does not work";
    return { ...about, state: "fail", text, advice: `correct it in ${source}` };
  });
}

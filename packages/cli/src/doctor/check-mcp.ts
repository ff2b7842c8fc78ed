/** Checks the MCP servers of the configuration. */
import type { Env } from "../config/env.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { describeLogin } from "../mcp/describe-login.ts";
import { probeServers } from "../mcp/probe-servers.ts";
import type { Check } from "./check.ts";

/** Starts each of them. */
export async function checkMcp(
  { settings, projectFolder, folders }: LoadedConfig,
  env: Env,
  now: number,
): Promise<readonly Check[]> {
  const { servers } = settings.mcp;
  const probed = await probeServers({ servers, folder: projectFolder, folders, env });
  return probed.map(({ name, state, tools, error, source, login, needsLogin }): Check => {
    const about = { name: `MCP server ${name}` };
    if (state === "disabled") return { ...about, state: "ok", text: "disabled" };
    const loggedIn = login === undefined ? "" : `, ${describeLogin(login, now)}`;
    if (state === "ready") {
      return { ...about, state: "ok", text: `${tools.length} tools${loggedIn}` };
    }
    const text = error ?? "does not work";
    const advice = needsLogin ? `run capstan mcp login ${name}` : `correct it in ${source}`;
    return { ...about, state: "fail", text, advice };
  });
}

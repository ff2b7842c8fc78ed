/** An agent with one MCP server, in a session on a store that other hosts can open. */
import type { Host, Session } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { McpServerOptions, McpTools, McpToolsOptions } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import type { ScriptItem } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";

export interface World extends AsyncDisposable {
  readonly host: Host;
  readonly session: Session;
  readonly mcp: McpTools;
  readonly repository: SessionRepository;
}

export type WorldOptions = Partial<McpToolsOptions> & {
  readonly script: readonly ScriptItem[];
  readonly server: McpServerOptions;
  readonly repository?: SessionRepository;
};

/** The session has the id `s`, and is opened if the store has it. Nothing is shared with another world but the store. */
export async function world(options: WorldOptions): Promise<World> {
  const { script, server, repository = memoryRepository(), ...rest } = options;
  const mcp = mcpTools({ servers: { srv: server }, ...rest });
  const agent = createAgent({ model: scriptedProvider(script), toolSources: [mcp] });
  const { clock } = options;
  const host = createHost({ agents: [agent], repository, ...(clock && { clock }) });
  const session = await host.session("s", { agent: "agent" });
  return {
    ...{ host, session, mcp, repository },
    async [Symbol.asyncDispose]() {
      await host.close();
      await mcp.close();
    },
  };
}

/** Content of the last result of a tool. */
export function lastResult({ session }: Pick<World, "session">): unknown {
  const message = session.messages.findLast(({ role }) => role === "tool");
  return message?.role === "tool" ? message.content : undefined;
}

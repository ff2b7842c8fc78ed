import { createHost } from "@capstan/core";
import type { ModelChoice } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { sqlite } from "@capstan/stores/sqlite";
import { createAssistant } from "./agent.ts";

export interface Settings {
  /** File of the sessions. */
  readonly database: string;
  /** Token of each client, by the client's name. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Default: any free port. */
  readonly port?: number;
  readonly model?: ModelChoice;
}

/** Starts the server on this machine. Sessions that an earlier process left unfinished continue. */
export async function startServer({ database, tokens, port = 0, model }: Settings) {
  const store = sqlite(database);
  const host = createHost({ agents: [createAssistant(model)], repository: store });
  const server = createServer({ host, authenticate: bearerTokens(tokens) });
  const { url, close } = await serveNode(server, { port });
  return {
    url,
    async close(): Promise<void> {
      await close();
      await host.close();
      await store.close();
    },
  };
}

/** Parts of the tools for resources and prompts: the choice of a server, and bounded lists. */
import type { ToolContext } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import type { Client } from "@modelcontextprotocol/client";
import { cleanText } from "../elicitation/clean-text.ts";
import type { Server } from "../servers/server.ts";

const maxItems = 200;
const maxItemChars = 400;

export function serverNamed(servers: readonly Server[], name: string): Server | string {
  const known = servers.map((server) => server.name).join(", ");
  return (
    servers.find((server) => server.name === name) ?? `Unknown server "${name}". Servers: ${known}`
  );
}

/** Asks each server, or one of them. A server that fails is a line of its own. */
export async function listLines<Item>(
  servers: readonly Server[],
  list: (client: Client) => Promise<readonly Item[]>,
  describe: (item: Item) => string,
): Promise<string> {
  const blocks = await Promise.all(
    servers.map(async (server) => {
      try {
        const items = await server.use(({ client }) => list(client), true);
        const lines = items.slice(0, maxItems).map((item) => `- ${oneLine(describe(item))}`);
        if (items.length > maxItems) lines.push(`- (${items.length - maxItems} more)`);
        return items.length === 0 ? [] : [`Server "${server.name}":`, ...lines];
      } catch (thrown) {
        return [`Server "${server.name}" failed: ${serializeError(thrown).message}`];
      }
    }),
  );
  return blocks.flat().join("\n") || "None.";
}

function oneLine(text: string): string {
  return cleanText(text.replaceAll(/\s+/g, " "), maxItemChars);
}

/** Options of a request that ends with the call. */
export function requestOptions({ signal }: ToolContext): { signal: AbortSignal; timeout: number } {
  return { signal, timeout: 60_000 };
}

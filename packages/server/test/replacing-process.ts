/** A server in a process of its own on a store that others share: `replacing-process.ts <store> <path> <name>`. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { fs } from "@capstan/stores/fs";
import { sqlite } from "@capstan/stores/sqlite";

const [store = "", path = "", name = ""] = process.argv.slice(2);

/** Says who was shown what. The first server never ends a reply to something slow. */
async function* stream({ messages }: ProviderRequest): AsyncGenerator<ProviderPart> {
  const shown = JSON.stringify(messages);
  yield { type: "text_delta", delta: `${name} was shown ${messages.length} messages` };
  if (name === "A" && shown.includes("slow")) await new Promise(() => {});
  if (shown.includes("secret")) yield { type: "text_delta", delta: ", a secret among them" };
  yield { type: "finish", reason: "stop" };
}

const repository: SessionRepository = store === "fs" ? fs(path) : sqlite(path);
const agent = createAgent({ name: "helper", model: { id: "m", stream }, compaction: false });
const host = createHost({ agents: [agent], repository, leaseMs: 1_500, pollMs: 100 });
const server = createServer({ host, authenticate: bearerTokens({ ann: "ann-0123456789abcdef" }) });
const { port } = await serveNode(server);
process.send?.({ port });

/** A server in a process of its own, on a store that outlives it: `served-process.ts <store> <script> <port>`. */
import { createAgent, createHost } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, reply, say, scriptedProvider, stall } from "@capstan/testing";

const [store = "", script = "", port = "0"] = process.argv.slice(2);

const scripts = {
  /** Says half of something, and no more. */
  stuck: [reply(say("Half"), stall())],
  picking: [callTool("pick", {})],
  whole: [say("Whole"), say("And more")],
};

const repository = store.startsWith("postgres:")
  ? postgres(store, { maxConnections: 3 })
  : sqlite(store);
const model = scriptedProvider(scripts[script as keyof typeof scripts]);
const agent = createAgent({ name: "helper", model });
const host = createHost({ agents: [agent], repository, pollMs: 50, leaseMs: 1_000 });
const server = createServer({ host, authenticate: bearerTokens({ ann: "ann-0123456789abcdef" }) });
const node = await serveNode(server, { port: Number(port) });
process.send?.({ port: node.port });

/** A server in a process of its own, on a database that outlives it: `served-process.ts <path> <script>`. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, reply, say, scriptedProvider, stall } from "@capstan/testing";

const [path = "", script = ""] = process.argv.slice(2);

const scripts = {
  /** Says half of something, and no more. */
  stuck: [reply(say("Half"), stall())],
  /** Is in the middle of paying. */
  paying: [callTool("pay", {})],
  whole: [say("Whole"), say("And more")],
};

const pay = defineTool({
  name: "pay",
  description: "Pays a bill",
  input: { type: "object" },
  execute: (_, context) => {
    context.update("paying");
    return new Promise<string>(() => {});
  },
});

const model = scriptedProvider(scripts[script as keyof typeof scripts]);
const agent = createAgent({ name: "helper", model, tools: [pay] });
const host = createHost({ agents: [agent], repository: sqlite(path), pollMs: 50 });
const server = createServer({
  host,
  authenticate: bearerTokens({ ann: "ann-0123456789abcdef" }),
});
const { port } = await serveNode(server);
process.send?.({ port });

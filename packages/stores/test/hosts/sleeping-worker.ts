/** A process that is put to sleep inside of a tool which must not run twice: `sleeping-worker.ts <kind> <where> <lease in ms>`. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, createHost, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { openStore } from "../open-store.ts";

const [kind = "", where = "", leaseMs = ""] = process.argv.slice(2);

const pay = defineTool({
  name: "pay",
  description: "Pays the bill",
  effect: "at-most-once",
  input: { type: "object" },
  async execute() {
    appendFileSync(join(where, "payments"), "paid\n");
    process.send?.("paying");
    await sleep(200);
    return "The bill is paid";
  },
});

const agent = createAgent({
  name: "payer",
  model: scriptedProvider([callTool("pay"), say("Done")]),
  tools: [pay],
});
const host = createHost({
  agents: [agent],
  repository: openStore(kind, where),
  leaseMs: Number(leaseMs),
  pollMs: 100,
});
const { status, messages } = await host.createSession({ agent: "payer" }).send("Pay").response;
const results = messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
process.send?.({ status, results });

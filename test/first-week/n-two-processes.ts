/** A turn on PostgreSQL: one process works, another follows it and takes over when the first is killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import { postgres } from "@capstan/stores/postgres";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";

const [command = "work", waitMs = "0"] = process.argv.slice(2);

const dig = defineTool({
  name: "dig",
  description: "Digs for a long time",
  input: { type: "object", properties: {} },
  effect: "idempotent",
  execute: async () => {
    console.log(`${command} digs`);
    await sleep(Number(waitMs));
    return "Found gold.";
  },
});
function answer({ messages }: ProviderRequest) {
  if (messages.at(-1)?.role === "tool") return say(`Good news: ${command} found gold.`);
  return reply(say("I dig."), callTool("dig"));
}
const model = scriptedProvider([answer, answer]);
const store = postgres(process.env["DATABASE_URL"]);
const host = createHost({
  agents: [createAgent({ name: "miner", model, tools: [dig] })],
  repository: store,
  leaseMs: 2_000,
});
const session = await host.session("mine", { agent: "miner" });

if (command === "work") {
  await session.send("Dig").response;
} else {
  const ended = Promise.withResolvers<void>();
  session.subscribe((event) => {
    if (event.type === "message_end" && event.message.role !== "custom") {
      console.log(event.message.role, JSON.stringify(event.message.content));
    }
    if (event.type === "turn_end") ended.resolve();
  });
  console.log("following");
  await ended.promise;
}
await host.close();
await store.close();

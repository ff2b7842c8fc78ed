/** A chat that lasts: each start says one thing, and continues what a killed process left. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const [words = "Hello", bankMs = "0"] = process.argv.slice(2);

async function bank(line: string): Promise<string> {
  appendFileSync("bank.txt", `${line}\n`);
  console.log("the bank is at work");
  await sleep(Number(bankMs));
  return "The bank confirms.";
}
const input = { type: "object", properties: {} } as const;
const pay = defineTool({
  name: "pay",
  description: "Pays the bill",
  input,
  execute: () => bank("paid"),
});
const reserve = defineTool({
  name: "reserve",
  description: "Reserves the amount",
  input,
  effect: "idempotent",
  execute: (_, { idempotencyKey }) => bank(`reserved ${idempotencyKey}`),
});

/** The model: it calls the tool that the user names, and repeats what a tool said. */
function answer({ messages }: ProviderRequest) {
  const last = messages.at(-1);
  if (last?.role === "tool") return say(`I was told: ${JSON.stringify(last.content)}`);
  const said = JSON.stringify(last);
  if (said.includes("Pay")) return callTool("pay");
  if (said.includes("Reserve")) return callTool("reserve");
  return say(`You have said ${messages.filter(({ role }) => role === "user").length} things.`);
}
const model = scriptedProvider([answer, answer, answer, answer]);

const store = sqlite("chat.db");
const host = createHost({
  agents: [createAgent({ name: "helper", model, tools: [pay, reserve] })],
  repository: store,
});
const session = await host.session("chat", { agent: "helper" });
for await (const event of session.send(words)) {
  if (event.type === "text_delta") process.stdout.write(`${event.delta}\n`);
  if (event.type === "error") console.error(event.error.message);
}
for (const message of session.messages) {
  if (message.role === "tool")
    console.log(`${message.toolName}: ${JSON.stringify(message.content)}`);
}
await host.close();
await store.close();

import assert from "node:assert/strict";
import { createAgent, createSession, defineTool, dependency, override } from "@capstan/core";
import { callTool, failBefore, say, scriptedProvider, toolContext } from "@capstan/testing";
import { z } from "zod";

// The code to ship: a tool with a dependency, and an agent.
const Rates = dependency("rates", () => fetch("https://example.com/rates"));
const double = defineTool({
  name: "double",
  description: "Doubles an amount",
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => `${amount * 2}`,
});
const status = defineTool({
  name: "status",
  description: "Tells whether the rates are there",
  input: z.object({}),
  execute: async (_, { get }) => `${(await get(Rates)).status}`,
});
const agent = createAgent({ model: scriptedProvider([]), tools: [double, status] });

// A tool alone: a function call, typed.
assert.equal(double.execute({ amount: 5 }, toolContext()), "10");

// The agent, with a model that follows a script and a fake dependency.
const model = scriptedProvider([failBefore("overloaded"), callTool("status"), say("Fine.")]);
const underTest = agent.with({
  model,
  retry: { maxAttempts: 2, baseDelayMs: 0 },
  dependencies: [override(Rates, async () => new Response("", { status: 503 }))],
});
const session = createSession({ agent: underTest });
const { text, messages } = await session.send("How are the rates?").response;

assert.equal(text, "Fine.");
assert.deepEqual(
  messages.map(({ role }) => role),
  ["assistant", "tool", "assistant"],
);
const [, result] = messages;
assert.equal(result?.role === "tool" && result.content, "503");
assert.equal(model.requests.length, 3); // what the model was asked, one by one
model.assertComplete(); // nothing of the script is left
console.log("passed"); // → passed

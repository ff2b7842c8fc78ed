import { createAgent, createSession } from "@capstan/core";
import { callTool, echoTool, failBefore, say, scriptedProvider, usage } from "@capstan/testing";

const tokens = usage({ inputTokens: 1_000, outputTokens: 100 });
const script = [[callTool("echo"), tokens], failBefore("overloaded"), [say("Done."), tokens]];
const price = { id: "list of June", inputPerMillion: 3, outputPerMillion: 15 };
const agent = createAgent({
  model: { provider: scriptedProvider(script), id: "small", price },
  tools: [echoTool()],
  includeCost: true, // otherwise nothing is computed, and cost is undefined
  retry: { maxAttempts: 3, baseDelayMs: 0 },
  budgets: { cost: 0.5 }, // dollars, checked before each request
});
const session = createSession({ agent });
for await (const event of session.send("Go")) {
  if (event.type === "attempt_discarded") console.log(event.attempt, event.error.code); // → 1 overloaded
  if (event.type === "message_end" && event.cost !== undefined) console.log(event.cost); // → 0.0045
  if (event.type === "turn_end") console.log(event.usage, event.cost);
}

const { total, cost, byModel } = session.getUsage();
console.log(total.inputTokens, total.unreportedAttempts, cost); // → 2000 1 0.009
console.log(byModel.map(({ model, priceId }) => `${model}, ${priceId}`)); // rows by model and price list
console.log(session.totalCost); // → 0.009

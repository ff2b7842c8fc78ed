import { createAgent, createModelRegistry, modelResolver } from "@capstan/core";
import { openaiCompatible } from "@capstan/providers/openai-compatible";
import { vendors } from "@capstan/providers/vendors";

// A server of your own, and a model on it that no list knows.
const house = openaiCompatible({ baseUrl: "http://127.0.0.1:9/v1", id: "house" });
const registry = createModelRegistry({
  models: [{ vendor: "house", id: "big", facts: { contextWindow: 64_000 } }],
  aliases: { mine: ["house/big"] },
});
const resolveModel = modelResolver({ registry, vendors: { ...vendors, house } });

const opus = await resolveModel("anthropic/claude-opus-5");
console.log(opus.facts?.contextWindow, opus.price?.outputPerMillion); // → 1000000 25
console.log((await resolveModel("mine")).id); // → big

const agent = createAgent({ model: "claude-opuss-5", resolveModel, retry: { maxAttempts: 1 } });
const { error } = await agent.runTurn({ input: "Hello" }).response;
console.log(error?.code, error?.message.includes("anthropic/claude-opus-5")); // → unknown_model true

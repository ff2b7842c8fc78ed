import { agentLoop, type ToolContract } from "@capstan/kernel";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const weather: ToolContract = {
  name: "weather",
  description: "Weather of a city, today",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  execute: async ({ city }: { city: string }) => `Sunny in ${city}`,
};
const provider = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Wear sunglasses.")]);
const turn = agentLoop(
  [{ role: "user", id: "1", content: "What should I wear in Oslo?" }],
  { messages: [], tools: [weather] },
  { provider, conversationId: "demo", turnId: "first" },
);
for await (const event of turn) if (event.type === "text_delta") process.stdout.write(event.delta);
console.log(`\n${(await turn.response).status}`);

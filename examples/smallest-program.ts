import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Weather of a city, today",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});
const model = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Wear sunglasses.")]);
const session = createSession({ agent: createAgent({ model, tools: [weather] }) });

for await (const event of session.send("What should I wear in Oslo?")) {
  if (event.type === "text_delta") console.log(event.delta); // → Wear sunglasses.
  if (event.type === "error") console.error(event.error.message); // for example: no API key
}
console.log(session.status, session.messages.length); // → completed 4

/** Three tools, streamed to the console. */
import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const city = z.object({ city: z.string() });
const weather = defineTool({
  name: "weather",
  description: "Weather of a city, today",
  input: city,
  effect: "pure",
  execute: ({ city }) => `Rain in ${city}`,
});
const clock = defineTool({
  name: "clock",
  description: "Local time of a city",
  input: city,
  effect: "pure",
  execute: ({ city }) => ({ city, time: "17:30" }),
});
const book = defineTool({
  name: "book",
  description: "Books a table",
  input: z.object({ restaurant: z.string(), people: z.int().min(1) }),
  execute: async ({ restaurant, people }) => `Booked ${restaurant} for ${people}`,
});

const model = scriptedProvider([
  reply(
    say("Let me look."),
    callTool("weather", { city: "Oslo" }),
    callTool("clock", { city: "Oslo" }),
  ),
  callTool("book", { restaurant: "Lofoten", people: 2 }),
  say(["Take an umbrella; ", "your table is ready."]),
]);
const agent = createAgent({ model, tools: [weather, clock, book] });
const session = createSession({ agent });

for await (const event of session.send("Dinner in Oslo tonight?")) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
  if (event.type === "tool_execution_start") {
    console.log(`\n> ${event.toolName} ${JSON.stringify(event.input)}`);
  }
  if (event.type === "tool_execution_end") {
    console.log(`< ${event.toolName} ${JSON.stringify(event.output)}`);
  }
  if (event.type === "error") console.error(event.error.message);
}
console.log();

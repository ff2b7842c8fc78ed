import { createAgent, createSession, createSimpleTool, defineTool } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const search = defineTool({
  name: "search",
  label: "Search",
  description: "Searches the library",
  input: z.object({ query: z.string() }),
  async *execute({ query }) {
    const found = [`${query} for beginners`, `A history of ${query}`];
    for (const title of found) yield { type: "delta", delta: `- ${title}\n` }; // for whoever watches
    yield { type: "complete", output: found.join("; "), details: { count: found.length } }; // for the model
  },
});
const multiply = createSimpleTool(
  {
    name: "multiply",
    label: "Multiply",
    description: "Multiplies two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
  },
  async (_id, { a, b }) => ({ output: `${a} × ${b} = ${a * b}`, details: { result: a * b } }),
);

const calls = reply(callTool("search", { query: "knots" }), callTool("multiply", { a: 6, b: 7 }));
const model = scriptedProvider([calls, say("Two books, and 42.")]);
const session = createSession({ agent: createAgent({ model, tools: [search, multiply] }) });
for await (const event of session.send("Books about knots? And six times seven?")) {
  if (event.type === "tool_execution_delta") console.log(event.delta.trim()); // → - knots for beginners
  if (event.type === "tool_execution_end") console.log(event.output, event.details); // → 6 × 7 = 42 { result: 42 }
}

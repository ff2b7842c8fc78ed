import { createAgent, createSession, defineTool } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { sqlite } from "@capstan/stores/sqlite";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Today's weather in a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});
const agent = createAgent({ model: anthropic("claude-sonnet-5-5"), tools: [weather] });
const session = createSession({ agent, repository: sqlite(":memory:") }); // or a file: it outlives the process

const { text, error } = await session.send("What should I wear in Oslo?").response; // never throws
if (error === undefined) console.log(text);
else console.log(error.code, error.message); // for example: auth, if no key is set

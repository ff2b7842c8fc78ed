/** Agent of both pages: a tool that streams its output, one that needs an approval, and one that runs in the page. */
import { setTimeout as pause } from "node:timers/promises";
import type { Agent } from "@capstan/core";
import { createAgent, defineTool } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { openai } from "@capstan/providers/openai";
import { z } from "zod";
import { demoModel } from "./demo-model.ts";

const searchLibrary = defineTool({
  name: "search_library",
  label: "Search the library",
  description: "Searches the library for books about a subject",
  input: z.object({ query: z.string() }),
  effect: "pure",
  async *execute({ query }, { signal }) {
    const titles = [`${query} for beginners`, `A history of ${query}`, `${query} and their uses`];
    for (const title of titles) {
      await pause(600, undefined, { signal });
      yield { type: "delta", delta: `found: ${title}\n` };
    }
    yield { type: "complete", output: titles.map((title) => `- ${title}`).join("\n") };
  },
});

const bookTable = defineTool({
  name: "book_table",
  label: "Book a table",
  description: "Books a table in a restaurant",
  input: z.object({ restaurant: z.string(), people: z.number().int(), at: z.string() }),
  needsApproval: true,
  execute: ({ restaurant, people, at }) => `Booked ${restaurant} for ${people}, ${at}.`,
});

/** Without `execute`: the page runs it. For pages that cannot lend tools themselves. */
export const localTime = defineTool({
  name: "local_time",
  label: "Local time",
  description: "Tells the date, the time and the time zone of the user",
  input: z.object({}),
});

const instructions = "You are a friendly assistant. Answer in Markdown. Use your tools.";

/** With the model of a vendor if its key is set, else with the demo model. */
export function demoAgent(pageTools: readonly (typeof localTime)[] = []): Agent {
  const tools = [searchLibrary, bookTable, ...pageTools];
  return createAgent({ name: "demo", model: chooseModel(), instructions, tools });
}

function chooseModel() {
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY, MODEL } = process.env;
  if (ANTHROPIC_API_KEY !== undefined) return anthropic(MODEL ?? "claude-opus-5");
  if (OPENAI_API_KEY !== undefined) return openai(MODEL ?? "gpt-5.5");
  return demoModel();
}

/** The dialects by name. To add one, add a file and a line here. */
import type { ChatDialect } from "./dialect.ts";
import { deepSeek } from "./dialects/deepseek.ts";
import { groq } from "./dialects/groq.ts";
import { mistral } from "./dialects/mistral.ts";
import { ollama } from "./dialects/ollama.ts";
import { openAi } from "./dialects/openai.ts";
import { openRouter } from "./dialects/openrouter.ts";

/** Servers whose dialect of Chat Completions can be emulated. */
export type ChatDialectName = "openai" | "mistral" | "deepseek" | "openrouter" | "groq" | "ollama";

export const dialects: Readonly<Record<ChatDialectName, ChatDialect>> = {
  openai: openAi,
  mistral,
  deepseek: deepSeek,
  openrouter: openRouter,
  groq,
  ollama,
};

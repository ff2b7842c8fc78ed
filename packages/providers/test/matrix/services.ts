/** Every kind of service that a conversation can be held with, emulated. */
import type { JsonValue, ModelFacts } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import { callTool, native } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { anthropic } from "../../src/anthropic.ts";
import { google } from "../../src/google.ts";
import { openai } from "../../src/openai.ts";
import type { VendorFunction } from "../../src/vendors/vendor-function.ts";
import { vendors } from "../../src/vendors.ts";

/** A model, and whose it is: models of one vendor share its emulator, which knows what it has signed. */
export interface Service {
  readonly name: string;
  readonly kind: string;
  readonly vendor: VendorFunction;
  readonly model: string;
  /** Behind the URL of the emulator. */
  readonly basePath?: string;
  /** What the registry would say. */
  readonly facts?: ModelFacts;
  /** What stands in a reply in which the vendor has run a tool by itself; none where it cannot. */
  readonly ownTool?: readonly ScriptItem[];
}

type Emulate = (script: readonly ScriptItem[]) => Promise<Emulator>;

export const emulators: Readonly<Record<string, Emulate>> = {
  messages: (script) => anthropicEmulator(script),
  responses: (script) => openAiResponsesEmulator(script),
  google: (script) => googleEmulator(script),
  mistral: (script) => openAiChatEmulator(script, { dialect: "mistral" }),
  deepseek: (script) => openAiChatEmulator(script, { dialect: "deepseek" }),
  openrouter: (script) => openAiChatEmulator(script, { dialect: "openrouter" }),
  groq: (script) => openAiChatEmulator(script, { dialect: "groq" }),
  ollama: (script) => openAiChatEmulator(script, { dialect: "ollama" }),
};

const search: JsonValue = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "x" },
};

const found: JsonValue = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [],
};

export const services: readonly Service[] = [
  {
    name: "Messages, budget",
    kind: "messages",
    vendor: anthropic,
    model: "claude-sonnet-4-5",
    ownTool: [
      callTool("web_search", { query: "x" }, { id: "srvtoolu_1", providerExecuted: true }),
      native(found),
    ],
  },
  { name: "Messages, adaptive", kind: "messages", vendor: anthropic, model: "claude-opus-5-5" },
  {
    name: "Responses, thinking",
    kind: "responses",
    vendor: openai,
    model: "gpt-5.5",
    ownTool: [native(search)],
  },
  { name: "Responses, plain", kind: "responses", vendor: openai, model: "gpt-4.1" },
  {
    name: "generateContent, level",
    kind: "google",
    vendor: google,
    model: "gemini-3.5-flash",
    basePath: "/v1beta",
    ownTool: [native({ executableCode: { language: "PYTHON", code: "1" } })],
  },
  {
    name: "generateContent, budget",
    kind: "google",
    vendor: google,
    model: "gemini-2.5-flash",
    basePath: "/v1beta",
  },
  chat("mistral", "mistral-large-4"),
  chat("deepseek", "deepseek-v4-pro", { input: ["text"] }),
  chat("openrouter", "qwen/qwen3"),
  chat("groq", "qwen/qwen3.8-27b"),
  chat("ollama", "qwen3"),
];

function chat(dialect: string, model: string, facts: ModelFacts = {}): Service {
  return {
    name: `Chat, ${dialect}`,
    kind: dialect,
    vendor: vendors[dialect] ?? openai,
    model,
    facts,
  };
}

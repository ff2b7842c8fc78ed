import Anthropic from "@anthropic-ai/sdk";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import type { Emulator, EmulatorOptions, EmulatorScriptItem } from "@capstan/testing/emulators";
import OpenAI from "openai";
import { askClaude, askOpenAi } from "./exchange.ts";
import type { Answer } from "./exchange.ts";

export interface Vendor {
  readonly name: string;
  start(script: readonly EmulatorScriptItem[], options?: EmulatorOptions): Promise<Emulator>;
  /** By hand. */
  ask(
    emulator: Emulator,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** A request that is as it should be. */
  readonly body: Readonly<Record<string, unknown>>;
  /** By the vendor's own client: the text of the reply. */
  say(emulator: Emulator, options?: ClientOptions): Promise<string>;
}

interface ClientOptions {
  readonly stream?: boolean;
  readonly apiKey?: string;
  readonly maxRetries?: number;
  readonly model?: string;
}

const anthropic: Vendor = {
  name: "Anthropic",
  start: anthropicEmulator,
  body: { model: "claude-fable-5-1", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] },
  ask: (emulator, body = anthropic.body, headers) => askClaude(emulator, body, headers),
  async say({ url }, options = {}) {
    const { apiKey = "key", maxRetries = 0, stream = true, model = "claude-fable-5-1" } = options;
    const client = new Anthropic({ apiKey, baseURL: url, maxRetries, logLevel: "off" });
    const messages = [{ role: "user" as const, content: "Hi" }];
    const params = { model, max_tokens: 100, messages };
    const { content } = stream
      ? await client.messages.stream(params).finalMessage()
      : await client.messages.create(params);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

const openAi: Vendor = {
  name: "OpenAI",
  start: openAiResponsesEmulator,
  body: { model: "gpt-5.5", input: "Hi" },
  ask: (emulator, body = openAi.body, headers) => askOpenAi(emulator, body, headers),
  async say({ url }, options = {}) {
    const { apiKey = "key", maxRetries = 0, stream = true, model = "gpt-5.5" } = options;
    const client = new OpenAI({ apiKey, baseURL: url, maxRetries, logLevel: "off" });
    const response = stream
      ? await client.responses.stream({ model, input: "Hi" }).finalResponse()
      : await client.responses.create({ model, input: "Hi" });
    return response.output_text;
  },
};

export const vendors: readonly Vendor[] = [anthropic, openAi];

export function vendorOf(name: "Anthropic" | "OpenAI"): Vendor {
  return name === "OpenAI" ? openAi : anthropic;
}

/** Rejection of a promise. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => new Error(`it did not fail, but gave ${String(value)}`),
    (error: unknown) => error,
  );
}

/** The AI SDK's own packages for two vendors, on services that refuse what the real ones refuse. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { ChatMessage, RunTurnInput } from "@capstan/kernel";
import type { FinishedTurn } from "@capstan/testing";
import { runToEnd, sequentialIds } from "@capstan/testing";
import type { Emulator, EmulatorOptions, EmulatorScriptItem } from "@capstan/testing/emulators";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import type { AiSdkModel } from "../../src/ai-sdk.ts";
import { fromAiSdk } from "../../src/ai-sdk.ts";

export interface EmulatedVendor {
  readonly models: readonly string[];
  start(script: readonly EmulatorScriptItem[], options?: EmulatorOptions): Promise<Emulator>;
  model(emulator: Emulator, id: string): AiSdkModel;
}

export const claude: EmulatedVendor = {
  models: [
    "claude-3-7-sonnet-latest",
    "claude-sonnet-4-5",
    "claude-opus-4-6",
    "claude-opus-5",
    "claude-haiku-5-5",
    "claude-opus-5-5",
  ],
  start: anthropicEmulator,
  model: ({ url }, id) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "test-key" })(id),
};

export const gpt: EmulatedVendor = {
  models: ["gpt-4.1", "gpt-5.5"],
  start: openAiResponsesEmulator,
  model: ({ url }, id) => createOpenAI({ baseURL: url, apiKey: "test-key" })(id),
};

export const vendors: readonly (readonly [string, EmulatedVendor, string])[] = [
  ["Anthropic", claude, "claude-sonnet-4-5"],
  ["OpenAI", gpt, "gpt-5.5"],
];

/** One for all turns: they are of one conversation. */
const newId = sequentialIds();

export function turnWith(
  model: AiSdkModel,
  input: Partial<RunTurnInput> = {},
): Promise<FinishedTurn> {
  return runToEnd({
    provider: fromAiSdk(model).provider,
    ...input,
    clock: { newId, ...input.clock },
  });
}

export function user(content: string): ChatMessage {
  return { role: "user", id: newId(), content };
}

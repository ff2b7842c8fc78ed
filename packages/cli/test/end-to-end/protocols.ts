/** Every protocol, as a service that is emulated and a vendor of the configuration that leads to it. */
import type { Emulator, EmulatorOptions, EmulatorScriptItem } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import type { ProviderSettings } from "../../src/config/settings.ts";

export interface Protocol {
  readonly name: string;
  readonly model: string;
  readonly keyVariable: string;
  emulate(script: readonly EmulatorScriptItem[], options: EmulatorOptions): Promise<Emulator>;
  /** Settings of the vendor in the configuration. */
  provider(url: string): ProviderSettings;
}

export const messages: Protocol = {
  name: "Messages",
  model: "anthropic/claude-opus-5-5",
  keyVariable: "ANTHROPIC_API_KEY",
  emulate: anthropicEmulator,
  provider: (baseUrl) => ({ baseUrl }),
};

/** The last one is a vendor that only the configuration knows. */
export const protocols: readonly Protocol[] = [
  messages,
  {
    name: "Responses",
    model: "openai/gpt-5.5",
    keyVariable: "OPENAI_API_KEY",
    emulate: openAiResponsesEmulator,
    provider: (baseUrl) => ({ baseUrl }),
  },
  {
    name: "generateContent",
    model: "google/gemini-3.5-flash",
    keyVariable: "GEMINI_API_KEY",
    emulate: googleEmulator,
    provider: (url) => ({ baseUrl: `${url}/v1beta` }),
  },
  {
    name: "Chat Completions",
    model: "house/gpt-4.1",
    keyVariable: "HOUSE_KEY",
    emulate: openAiChatEmulator,
    provider: (baseUrl) => ({
      protocol: "openai-chat",
      baseUrl,
      keyVariable: "HOUSE_KEY",
      models: [
        {
          id: "gpt-4.1",
          contextWindow: 100_000,
          price: { inputPerMillion: 2, outputPerMillion: 8 },
        },
      ],
    }),
  },
];

/** Ollama, by default on this machine. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const ollamaVendor: Vendor = {
  id: "ollama",
  name: "Ollama",
  protocol: openAiChat,
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlVariable: "OLLAMA_BASE_URL",
  hasServerApi: true,
  isLocal: true,
  keyVariable: undefined,
  quirks: { chat: { reasoningField: "reasoning", refusesUrls: true } },
};

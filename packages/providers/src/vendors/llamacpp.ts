/** The llama.cpp server, by default on this machine. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const llamaCppVendor: Vendor = {
  id: "llamacpp",
  name: "llama.cpp",
  protocol: openAiChat,
  baseUrl: "http://127.0.0.1:8080/v1",
  baseUrlVariable: "LLAMACPP_BASE_URL",
  hasServerApi: true,
  isLocal: true,
  keyVariable: undefined,
  quirks: { chat: { reasoningField: "reasoning_content" } },
};

/** DeepSeek's own API. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const deepSeekVendor: Vendor = {
  id: "deepseek",
  name: "DeepSeek",
  protocol: openAiChat,
  baseUrl: "https://api.deepseek.com",
  baseUrlVariable: "DEEPSEEK_BASE_URL",
  keyVariable: "DEEPSEEK_API_KEY",
  quirks: {
    chat: {
      reasoningField: "reasoning_content",
      needsReasoningField: true,
      thinking: "thinking-switch",
      samplingFields: { topK: null, seed: null, serviceTier: null },
      outputFormat: "json-object",
    },
  },
};

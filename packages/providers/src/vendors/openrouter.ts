/** OpenRouter, which routes to models of many vendors. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const openRouterVendor: Vendor = {
  id: "openrouter",
  name: "OpenRouter",
  protocol: openAiChat,
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlVariable: "OPENROUTER_BASE_URL",
  keyVariable: "OPENROUTER_API_KEY",
  quirks: {
    chat: { reasoningField: "reasoning_details", thinking: "reasoning-object", takesFiles: true },
  },
};

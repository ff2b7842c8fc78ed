/** Groq's own servers. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const groqVendor: Vendor = {
  id: "groq",
  name: "Groq",
  protocol: openAiChat,
  baseUrl: "https://api.groq.com/openai/v1",
  baseUrlVariable: "GROQ_BASE_URL",
  keyVariable: "GROQ_API_KEY",
  quirks: { chat: { maxTokensField: "max_completion_tokens", samplingFields: { topK: null } } },
};

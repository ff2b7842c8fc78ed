/** Mistral's own API. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const mistralVendor: Vendor = {
  id: "mistral",
  name: "Mistral",
  protocol: openAiChat,
  baseUrl: "https://api.mistral.ai/v1",
  baseUrlVariable: "MISTRAL_BASE_URL",
  keyVariable: "MISTRAL_API_KEY",
  quirks: {
    chat: {
      // Exactly nine letters or digits.
      callIds: { character: /[a-zA-Z0-9]/, minLength: 9, maxLength: 9 },
      samplingFields: { seed: "random_seed", topK: null },
      refusesStreamOptions: true,
      refusesUserAfterTool: true,
      refusesLateSystem: true,
    },
  },
};

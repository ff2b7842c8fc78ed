/** OpenAI's own API. */
import { openAiResponses } from "../protocols/openai-responses/openai-responses.ts";
import type { Vendor } from "../wire/vendor.ts";

export const openAiVendor: Vendor = {
  id: "openai",
  name: "OpenAI",
  protocol: openAiResponses,
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariable: "OPENAI_BASE_URL",
  keyVariable: "OPENAI_API_KEY",
  media: {
    imageTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    documentTypes: ["application/pdf", "text/*"],
    maxImageBytes: 20_000_000,
    maxImagePixels: 8000,
    maxDocumentBytes: 32_000_000,
  },
  quirks: {},
};

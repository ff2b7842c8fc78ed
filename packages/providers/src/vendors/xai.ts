/** xAI's own API, which implements Responses. */
import { openAiResponses } from "../protocols/openai-responses/openai-responses.ts";
import type { Vendor } from "../wire/vendor.ts";

export const xAiVendor: Vendor = {
  id: "xai",
  name: "xAI",
  protocol: openAiResponses,
  baseUrl: "https://api.x.ai/v1",
  baseUrlVariable: "XAI_BASE_URL",
  keyVariable: "XAI_API_KEY",
  media: {
    imageTypes: ["image/jpeg", "image/png"],
    documentTypes: ["text/*"],
    maxImageBytes: 20_000_000,
    maxImagePixels: 8000,
    maxDocumentBytes: 20_000_000,
  },
  quirks: {},
};

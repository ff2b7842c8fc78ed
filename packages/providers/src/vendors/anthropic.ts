/** Anthropic's own API. */
import { anthropicMessages } from "../protocols/anthropic-messages/anthropic-messages.ts";
import type { Vendor } from "../wire/vendor.ts";

export const anthropicVendor: Vendor = {
  id: "anthropic",
  name: "Anthropic",
  protocol: anthropicMessages,
  baseUrl: "https://api.anthropic.com",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  keyVariable: "ANTHROPIC_API_KEY",
  headers: { "anthropic-version": "2023-06-01" },
  media: {
    imageTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    documentTypes: ["application/pdf", "text/plain", "text/markdown", "text/csv", "text/html"],
    // The vendor counts 5 MB of base64.
    maxImageBytes: 3_932_160,
    maxImagePixels: 8000,
    // A request may have 32 MB, in base64; this leaves room for the rest of it.
    maxDocumentBytes: 22_000_000,
  },
  quirks: { keyHeader: "x-api-key", listHeader: "anthropic-beta" },
};

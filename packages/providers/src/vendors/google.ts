/** Google's Gemini API. */
import { googleGenerate } from "../protocols/google-generate/google-generate.ts";
import type { Vendor } from "../wire/vendor.ts";

export const googleVendor: Vendor = {
  id: "google",
  name: "Google",
  protocol: googleGenerate,
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
  keyVariable: "GEMINI_API_KEY",
  media: {
    imageTypes: ["image/jpeg", "image/png", "image/webp"],
    documentTypes: ["application/pdf", "text/*"],
    // A request may have 20 MB, in base64; this leaves room for the rest of it.
    maxImageBytes: 14_000_000,
    maxImagePixels: 8000,
    maxDocumentBytes: 14_000_000,
  },
  quirks: { keyHeader: "x-goog-api-key" },
};

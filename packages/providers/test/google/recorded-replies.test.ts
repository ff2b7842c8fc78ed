import { describe } from "vitest";
import { googleVendor } from "../../src/vendors/google.ts";
import { decodesRecordedReplies } from "../fixtures-harness/recorded-replies.ts";
import { geminiAdapter } from "./gemini-adapter.ts";

describe("generateContent", () => {
  decodesRecordedReplies({
    vendor: googleVendor,
    adapter: geminiAdapter,
    model: "gemini-3.5-flash",
  });
});

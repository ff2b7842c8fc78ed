import { describe } from "vitest";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import { bearsHostileStreams } from "../fixtures-harness/hostile-streams.ts";
import { geminiTarget } from "./requests.ts";

describe("generateContent", () => {
  bearsHostileStreams({
    protocol: googleGenerate,
    target: geminiTarget("gemini-3.5-flash"),
    eventTypes: ["chunk"],
    fields: ["candidates", "usageMetadata", "promptFeedback", "error", "modelVersion"],
  });
});

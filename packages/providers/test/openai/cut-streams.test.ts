import { describe } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { survivesCuts } from "../fixtures-harness/cut-streams.ts";
import { gptTarget } from "./requests.ts";

const end = /"type":\s*"response\.(completed|incomplete)"/;

describe("Responses", () => {
  survivesCuts({
    protocol: openAiResponses,
    target: gptTarget("gpt-5.5"),
    hasEnded: (events) => events.some((data) => end.test(data)),
  });
});

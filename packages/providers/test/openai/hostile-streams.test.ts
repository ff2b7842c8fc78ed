import { describe } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { bearsHostileStreams } from "../fixtures-harness/hostile-streams.ts";
import { gptTarget } from "./requests.ts";

describe("Responses", () => {
  bearsHostileStreams({
    protocol: openAiResponses,
    target: gptTarget("gpt-5.5"),
    eventTypes: [
      "response.created",
      "response.output_item.added",
      "response.output_item.done",
      "response.output_text.delta",
      "response.refusal.delta",
      "response.reasoning_summary_text.delta",
      "response.function_call_arguments.delta",
      "response.completed",
      "response.incomplete",
      "response.failed",
      "error",
    ],
    fields: ["response", "item", "output_index", "delta", "output", "status", "error", "usage"],
  });
});

import { describe } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { survivesCuts } from "../fixtures-harness/cut-streams.ts";
import { claudeTarget } from "./requests.ts";

describe("Messages", () => {
  survivesCuts({
    protocol: anthropicMessages,
    target: claudeTarget("claude-sonnet-4-5"),
    hasEnded: (events) => events.some((data) => /"type":\s*"message_stop"/.test(data)),
  });
});

import { describe } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { bearsHostileStreams } from "../fixtures-harness/hostile-streams.ts";
import { claudeTarget } from "./requests.ts";

describe("Messages", () => {
  bearsHostileStreams({
    protocol: anthropicMessages,
    target: claudeTarget("claude-sonnet-4-5"),
    eventTypes: [
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
      "ping",
      "error",
    ],
    fields: ["message", "delta", "index", "content_block", "usage", "content", "stop_reason"],
  });
});

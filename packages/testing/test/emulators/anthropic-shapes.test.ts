import { describe, test } from "vitest";
import { expectRefusal, marker, newest, plain, talk, text } from "./anthropic-request.ts";
import type { RefusalRow } from "./anthropic-request.ts";

type Body = RefusalRow[1];

function without(key: string, body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
}

const shapes: readonly RefusalRow[] = [
  ["no model", without("model", plain), "model: Field required", plain],
  ["no max_tokens", without("max_tokens", plain), "max_tokens: Field required", plain],
  ["no messages", without("messages", plain), "messages: Field required", plain],
  [
    "a field that there is not",
    { ...plain, frequency_penalty: 1 },
    "frequency_penalty: Extra inputs are not permitted",
    plain,
  ],
  [
    "a wrong type",
    { ...plain, max_tokens: "9" },
    "max_tokens: Input should be a valid integer",
    plain,
  ],
  [
    "a wrong type deep inside",
    { ...plain, messages: talk([{ type: "text", text: 1 }]) },
    "messages.0.content.0.text.text: Input should be a valid string",
    { ...plain, messages: talk([text("1")]) },
  ],
  [
    "a block that there is not",
    { ...plain, messages: talk([{ type: "input_text", text: "Hi" }]) },
    "messages.0.content.0: Input tag 'input_text' found using 'type' does not match",
    plain,
  ],
  [
    "a role that there is not",
    { ...plain, messages: [{ role: "tool", content: "Hi" }] },
    "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    plain,
  ],
  [
    "a beta field without its header",
    { ...plain, context_management: {} },
    "context_management: Extra inputs are not permitted",
    plain,
  ],
  [
    "binding controls without their header",
    { ...newest, thinking: { type: "adaptive", block_binding: {} } },
    "block_binding: Extra inputs are not permitted",
    { ...newest, thinking: { type: "adaptive" } },
  ],
];

const marked = { type: "text", text: "Hi", cache_control: marker };
const markers: readonly RefusalRow[] = [
  [
    "five cache markers",
    { ...plain, system: [marked], messages: talk([marked, marked, marked, marked]) },
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    { ...plain, system: [marked], messages: talk([marked, marked, marked]) },
  ],
  [
    "a cache marker on an empty text",
    { ...plain, messages: talk([text("Hi"), { ...marked, text: "" }]) },
    "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
    { ...plain, messages: talk([text("Hi"), marked]) },
  ],
  [
    "a cache marker on thinking",
    {
      ...newest,
      messages: talk(
        "Hi",
        [{ type: "thinking", thinking: "", signature: "x", cache_control: marker }, text("Yo")],
        "?",
      ),
    },
    "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    { ...newest, messages: talk("Hi", [{ ...marked, text: "Yo" }], "?") },
  ],
  [
    "a marker for an hour after one for minutes",
    {
      ...plain,
      system: [marked],
      messages: talk([{ ...marked, cache_control: { type: "ephemeral", ttl: "1h" } }]),
    },
    "a ttl='1h' cache_control block must not come after a ttl='5m'",
    {
      ...plain,
      messages: talk([{ ...marked, cache_control: { type: "ephemeral", ttl: "1h" } }]),
      cache_control: marker,
    },
  ],
];

describe("the Messages API refuses, for its shape", () => {
  test.each(shapes)("%s", async (...row) => {
    await expectRefusal(row);
  });
});

describe("the Messages API refuses, for its cache markers", () => {
  test.each(markers)("%s", async (...row) => {
    await expectRefusal(row);
  });
});

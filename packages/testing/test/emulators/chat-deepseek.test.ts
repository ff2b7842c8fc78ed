import { describe, expect, test } from "vitest";
import { call, calling, echo, expectDialectRefusal, result, to, user } from "./chat-request.ts";
import type { DialectRow } from "./chat-request.ts";

const v4 = "deepseek-v4-pro";
const thoughtful = calling([call()], { reasoning_content: "" });

function deepSeekError(message: string): object {
  return {
    error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" },
  };
}

const deepSeek: readonly DialectRow[] = [
  [
    "a call without what was thought before it",
    "deepseek",
    to(v4, user, calling([call()]), result(), user),
    400,
    deepSeekError("The `reasoning_content` in the thinking mode must be passed back to the API."),
    to(v4, user, thoughtful, result(), user),
  ],
  [
    "the same, in the words of old and only within a turn",
    "deepseek",
    to("deepseek-reasoner", user, calling([call()]), result()),
    400,
    deepSeekError("Missing `reasoning_content` field in the assistant message at message index 1"),
    to("deepseek-reasoner", user, calling([call()]), result(), user),
  ],
  [
    "a forced tool while it thinks",
    "deepseek",
    { ...to(v4), tools: [echo], tool_choice: "required" },
    400,
    deepSeekError("Thinking mode does not support this tool_choice"),
    { ...to(v4), tools: [echo], tool_choice: "required", thinking: { type: "disabled" } },
  ],
  [
    "a picture",
    "deepseek",
    to(v4, { role: "user", content: [{ type: "image_url", image_url: { url: "https://x" } }] }),
    400,
    {
      error: {
        message: expect.stringContaining(
          "messages[0].content[0]: unknown variant `image_url`, expected `text`",
        ) as string,
      },
    },
    to(v4, { role: "user", content: [{ type: "text", text: "Hi" }] }),
  ],
  [
    "a result without a call",
    "deepseek",
    to(v4, user, result()),
    400,
    deepSeekError(
      "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    ),
    to(v4, user, thoughtful, result()),
  ],
  [
    "a call without its result",
    "deepseek",
    to(v4, user, thoughtful, user),
    400,
    deepSeekError(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ),
    to(v4, user, thoughtful, result(), user),
  ],
  [
    "JSON that is not mentioned",
    "deepseek",
    { ...to(v4), response_format: { type: "json_object" } },
    400,
    deepSeekError(
      "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
    ),
    { ...to(v4, { role: "user", content: "JSON" }), response_format: { type: "json_object" } },
  ],
  [
    "a call at the end",
    "deepseek",
    to(v4, user, thoughtful),
    400,
    { error: { message: expect.stringContaining("(insufficient tool messages") as string } },
    to(v4, user, thoughtful, result()),
  ],
  [
    "a format by schema",
    "deepseek",
    { ...to(v4), response_format: { type: "json_schema", json_schema: { name: "x" } } },
    400,
    deepSeekError("This response_format type is unavailable now"),
    { ...to(v4, { role: "user", content: "JSON" }), response_format: { type: "json_object" } },
  ],
  [
    "a model that there is not",
    "deepseek",
    to("gpt-4.1"),
    400,
    deepSeekError("Model Not Exist"),
    { ...to(v4), whatever: 1 },
  ],
];

describe("DeepSeek refuses", () => {
  test.each(deepSeek)("%s", async (...row) => {
    await expectDialectRefusal(row);
  });
});

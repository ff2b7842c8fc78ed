import { describe, test } from "vitest";
import { call, calling, expectDialectRefusal, result, to, user } from "./chat-request.ts";
import type { DialectRow } from "./chat-request.ts";

const small = "mistral-small-latest";
const nine = call("abcDEF123");
const loop = to(small, user, calling([nine]), result("abcDEF123"));
const order = { object: "error", type: "invalid_request_message_order", code: "3230" };

function detail(type: string, ...loc: readonly (string | number)[]): object {
  return {
    object: "error",
    message: { detail: [{ type, loc: ["body", ...loc] }] },
    type: "invalid_request_error",
  };
}

const mistral: readonly DialectRow[] = [
  [
    "a field of OpenAI",
    "mistral",
    { ...to(small), stream_options: {} },
    422,
    detail("extra_forbidden", "stream_options"),
    to(small),
  ],
  [
    "thinking in a field of its own",
    "mistral",
    to(small, user, { role: "assistant", content: "Yes", reasoning_content: "Hm" }, user),
    422,
    detail("extra_forbidden", "messages", 1, "assistant", "reasoning_content"),
    to(
      small,
      user,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [] },
          { type: "text", text: "Yes" },
        ],
      },
      user,
    ),
  ],
  [
    "a value of another type",
    "mistral",
    { ...to(small), max_tokens: "9" },
    422,
    detail("int_type", "max_tokens"),
    { ...to(small), max_tokens: 9 },
  ],
  [
    "a role of OpenAI",
    "mistral",
    to(small, { role: "developer", content: "Be brief" }, user),
    422,
    detail("union_tag_invalid", "messages", 0),
    to(small, { role: "system", content: "Be brief" }, user),
  ],
  [
    "an id of another length",
    "mistral",
    to(small, user, calling([call("call_1")]), result("call_1")),
    400,
    {
      message: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
      type: "invalid_function_call",
      code: "3280",
    },
    loop,
  ],
  [
    "a call without its result",
    "mistral",
    to(small, user, calling([nine]), user),
    400,
    { ...order, message: "Not the same number of function calls and responses" },
    loop,
  ],
  [
    "a result of another call",
    "mistral",
    to(small, user, calling([nine]), result("xxxxxxxxx")),
    400,
    { ...order, message: "Unexpected tool call id xxxxxxxxx in tool results" },
    loop,
  ],
  [
    "two results of one call",
    "mistral",
    to(small, user, calling([nine]), result("abcDEF123"), result("abcDEF123")),
    400,
    { ...order, message: "Duplicate tool call id abcDEF123 in tool results" },
    loop,
  ],
  [
    "the user directly after a result",
    "mistral",
    to(small, user, calling([nine]), result("abcDEF123"), user),
    400,
    { ...order, message: "Unexpected role 'user' after role 'tool'" },
    to(
      small,
      user,
      calling([nine]),
      result("abcDEF123"),
      { role: "assistant", content: "OK" },
      user,
    ),
  ],
  [
    "the model's word at the end",
    "mistral",
    to(small, user, { role: "assistant", content: "Yes" }),
    400,
    {
      ...order,
      message:
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    },
    to(small, user, { role: "assistant", content: "Yes", prefix: true }),
  ],
  [
    "an answer of nothing",
    "mistral",
    to(small, user, { role: "assistant", content: "" }, user),
    400,
    {
      message: "Assistant message must have either content or tool_calls, but not none.",
      code: "3240",
    },
    to(small, user, { role: "assistant", content: "." }, user),
  ],
  [
    "a name with other letters",
    "mistral",
    { ...to(small), tools: [{ type: "function", function: { name: "a.b" } }] },
    400,
    {
      message:
        "Function name was a.b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    },
    { ...to(small), tools: [{ function: { name: "a-b" } }] },
  ],
];

describe("Mistral refuses", () => {
  test.each(mistral)("%s", async (...row) => {
    await expectDialectRefusal(row);
  });
});

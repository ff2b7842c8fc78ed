import { tinyImage } from "@capstan/testing";
import { describe, test } from "vitest";
import {
  byRule,
  call,
  expectRefusal,
  model,
  plain,
  results,
  saying,
  user,
} from "./google-request.ts";
import type { RefusalRow } from "./google-request.ts";

const loop = saying(user(), model(call()), results("echo"));
const path = "* GenerateContentRequest.contents";

function blob(mimeType: string, data = tinyImage.data) {
  return saying({ role: "user", parts: [{ inlineData: { mimeType, data } }] });
}

const contents: readonly RefusalRow[] = [
  ["no contents", {}, `${path}: contents is not specified`, plain],
  ["an empty list of them", saying(), `${path}: contents is not specified`, plain],
  [
    "no parts",
    saying({ role: "user", parts: [] }),
    `${path}[0].parts: contents.parts must not be empty.`,
    plain,
  ],
  [
    "instructions without parts",
    { ...plain, systemInstruction: { parts: [] } },
    "* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.",
    { ...plain, systemInstruction: { parts: [{ text: "Be brief" }] } },
  ],
  [
    "a part of nothing",
    saying({ role: "user", parts: [{ thought: true }] }),
    `${path}[0].parts[0].data: required oneof field 'data' must have one initialized field`,
    saying({ role: "user", parts: [{ text: "" }] }),
  ],
  [
    "a role of others",
    saying({ role: "assistant", parts: [{ text: "Hi" }] }),
    "Please use a valid role: user, model.",
    saying({ parts: [{ text: "Hi" }] }),
  ],
  [
    "the model as the first to speak",
    saying(model({ text: "Hi" }), user()),
    "Please ensure that multiturn requests alternate between user and model.",
    saying(user(), user(), model({ text: "Hi" })),
  ],
];

const calls: readonly RefusalRow[] = [
  [
    "a call as the first of all",
    saying(model(call()), results("echo")),
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    loop,
  ],
  [
    "a call directly after another turn of the model",
    saying(user(), model({ text: "Well" }), model(call()), results("echo")),
    "Please ensure that function call turn comes immediately after a user turn",
    saying(user(), model({ text: "Well" }, call()), results("echo")),
  ],
  [
    "a result without a call",
    saying(user(), results("echo")),
    "Please ensure that function response turn comes immediately after a function call turn.",
    loop,
  ],
  [
    "a result that comes late",
    saying(user(), model(call()), results("echo"), model({ text: "Well" }), results("echo")),
    "Please ensure that function response turn comes immediately after a function call turn.",
    saying(user(), model(call()), results("echo"), model({ text: "Well" }), user()),
  ],
  [
    "fewer results than calls",
    saying(user(), model(call(), call()), results("echo")),
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    saying(user(), model(call(), call()), results("echo", "echo")),
  ],
  [
    "results in a turn each",
    saying(user(), model(call(), call()), results("echo"), results("echo")),
    "Please ensure that the number of function response parts is equal",
    saying(user(), model(call(), call()), results("echo", "echo")),
  ],
  [
    "an unanswered call",
    saying(user(), model(call()), user()),
    "Please ensure that the number of function response parts is equal",
    saying(user(), model(call()), results("echo"), user()),
  ],
  [
    "a call at the end",
    saying(user(), model(call())),
    "Please ensure that the number of function response parts is equal",
    loop,
  ],
  [
    "a result of another function",
    saying(user(), model(call("a"), call("b")), results("a", "c")),
    "there is no call of 'c'",
    saying(user(), model(call("a"), call("b")), results("b", "a")),
  ],
  [
    "a call without a name",
    saying(user(), model({ functionCall: { args: {} } }), results("echo")),
    `${path}[1].parts[0].function_call.name: Name cannot be empty.`,
    loop,
  ],
  [
    "a result without a name",
    saying(user(), model(call()), {
      role: "user",
      parts: [{ functionResponse: { response: {} } }],
    }),
    `${path}[2].parts[0].function_response.name: Name cannot be empty.`,
    saying(user(), model(call()), { ...results("echo"), role: "function" }),
  ],
];

const media: readonly RefusalRow[] = [
  [
    "a picture of a kind that it does not read",
    blob("image/gif"),
    "Unsupported MIME type: image/gif",
    blob("image/png"),
  ],
  [
    "a document of such a kind",
    blob("application/msword"),
    "Unsupported MIME type: application/msword",
    blob("application/pdf"),
  ],
  [
    "a picture that is none",
    blob("image/png", "AAAA"),
    "Unable to process input image.",
    blob("image/png"),
  ],
  [
    "such a picture in what a function says",
    saying(user(), model(call()), {
      role: "user",
      parts: [
        {
          functionResponse: {
            name: "echo",
            response: {},
            parts: [{ inlineData: { mimeType: "image/gif", data: tinyImage.data } }],
          },
        },
      ],
    }),
    "Unsupported MIME type: image/gif",
    loop,
  ],
];

describe.each([
  ["for its contents", contents],
  ["for calls and results", calls],
  ["for files", media],
])("Gemini refuses, %s,", (_, rows) => {
  test.each(byRule(rows))("%s", async (_rule, row) => {
    await expectRefusal(row);
  });
});

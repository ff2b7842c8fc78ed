import { tinyImage } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import { say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import {
  byRule,
  configured,
  declaring,
  expectRefusal,
  plain,
  saying,
  user,
} from "./google-request.ts";
import type { RefusalRow } from "./google-request.ts";

const unknown = "Invalid JSON payload received. Unknown name";
const parameters = (schema: object) => declaring({ name: "echo", parameters: schema as never });

const rows: readonly RefusalRow[] = [
  [
    "a field that there is not",
    { ...plain, messages: [] },
    `${unknown} "messages": Cannot find field.`,
    plain,
  ],
  [
    "a field that a content has not",
    saying({ ...user(), name: "Ada" }),
    `${unknown} "name" at 'contents[0]': Cannot find field.`,
    plain,
  ],
  [
    "a field that a part has not",
    saying({ role: "user", parts: [{ text: "Hi", cache_control: {} }] }),
    `${unknown} "cache_control" at 'contents[0].parts[0]': Cannot find field.`,
    plain,
  ],
  [
    "JSON Schema where a schema of its own is meant",
    parameters({ type: "object", properties: { at: { type: "string", const: "x" } } }),
    `${unknown} "const" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
    parameters({ type: "object", properties: { at: { type: "string" } } }),
  ],
  [
    "several types for one thing",
    parameters({ type: ["object", "null"] }),
    `${unknown} "type" at 'tools[0].function_declarations[0].parameters': Proto field is not repeating, cannot start list.`,
    parameters({ type: "object", nullable: true }),
  ],
  [
    "a text for a number",
    configured({ temperature: "hot" }),
    `Invalid value at 'generation_config.temperature' (TYPE_FLOAT), "hot"`,
    configured({ temperature: "0.5" }),
  ],
  [
    "a text for a content",
    { contents: "Hi" },
    `Invalid value at 'contents[0]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "Hi"`,
    { contents: user() },
  ],
  [
    "a value that an enumeration has not",
    parameters({ type: "text" }),
    `Invalid value at 'tools[0].function_declarations[0].parameters.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "text"`,
    parameters({ type: 6 }),
  ],
  [
    "arguments that are no object",
    saying(user(), { role: "model", parts: [{ functionCall: { name: "echo", args: "{}" } }] }),
    `Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "{}"`,
    plain,
  ],
  [
    "bytes that are not base64",
    saying({ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "!" } }] }),
    `Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for "!"`,
    saying({
      role: "user",
      parts: [{ inline_data: { mime_type: "image/png", data: tinyImage.data } }],
    }),
  ],
  [
    "a part that is two things",
    saying({ role: "user", parts: [{ text: "Hi", functionCall: { name: "echo" } }] }),
    "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'functionCall'",
    plain,
  ],
];

describe("Gemini refuses, for the form of a request,", () => {
  test.each(byRule(rows))("%s", async (_rule, row) => {
    await expectRefusal(row);
  });
});

test("it says all that is wrong at once, and where", async () => {
  await using emulator = await googleEmulator([]);

  const { json } = await askGoogle(emulator, { ...plain, a: 1, generationConfig: { b: 2 } });

  const [first, second] = [
    `${unknown} "a": Cannot find field.`,
    `${unknown} "b" at 'generation_config': Cannot find field.`,
  ];
  expect(json).toEqual({
    error: {
      code: 400,
      message: `${first}\n${second}`,
      status: "INVALID_ARGUMENT",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [
            { description: first },
            { field: "generation_config", description: second },
          ],
        },
      ],
    },
  });
});

test("it takes names in either spelling, nothing for null, and one thing for a list of one", async () => {
  await using emulator = await googleEmulator([say("ok")]);

  const { status } = await askGoogle(emulator, {
    contents: { role: "user", parts: { text: "Hi" } },
    system_instruction: { parts: { text: "Be brief" } },
    tools: {
      function_declarations: [{ name: "echo", description: null, parameters_json_schema: {} }],
    },
    tool_config: { function_calling_config: { mode: "any", allowed_function_names: "echo" } },
    generation_config: { max_output_tokens: "100", thinking_config: { include_thoughts: true } },
  });

  expect(status).toBe(200);
});

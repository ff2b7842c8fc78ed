import { describe, test } from "vitest";
import { byRule, configured, declaring, expectRefusal, plain } from "./google-request.ts";
import type { Body, RefusalRow } from "./google-request.ts";

const echo = { name: "echo" };
const functions = "* GenerateContentRequest.tools[0].function_declarations[0]";
const config = "* GenerateContentRequest.generation_config";
const json = { responseMimeType: "application/json" };

function thinking(thinkingConfig: Body): Body {
  return configured({ thinkingConfig });
}

function parameters(schema: Body): Body {
  return declaring({ ...echo, parameters: schema });
}

function jsonParameters(schema: Body): Body {
  return declaring({ ...echo, parametersJsonSchema: schema });
}

function choosing(functionCallingConfig: Body): Body {
  return { ...declaring(echo), toolConfig: { functionCallingConfig } };
}

const settings: readonly RefusalRow[] = [
  [
    "too high a temperature",
    configured({ temperature: 2.5 }),
    `${config}.temperature: temperature must be in the range [0.0, 2.0].`,
    configured({ temperature: 2 }),
  ],
  [
    "a share above one",
    configured({ topP: 1.5 }),
    `${config}.top_p: top_p must be in the range [0.0, 1.0].`,
    configured({ topP: 1 }),
  ],
  [
    "more than a model can write",
    configured({ maxOutputTokens: 65_537 }),
    "it has a maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
    configured({ maxOutputTokens: 65_536 }),
  ],
  [
    "too many ends",
    configured({ stopSequences: ["1", "2", "3", "4", "5", "6"] }),
    `${config}.stop_sequences: only up to 5`,
    configured({ stopSequences: ["1"] }),
  ],
  [
    "a format that there is not",
    configured({ responseMimeType: "text/html" }),
    `${config}.response_mime_type: allowed mimetypes are \`text/plain\`, \`application/json\`, \`application/xml\`, \`application/yaml\` and \`text/x.enum\`.`,
    configured(json),
  ],
  [
    "a schema without the format",
    configured({ responseSchema: { type: "STRING" } }),
    `${config}.response_schema: a response mime type of 'application/json'`,
    configured({ ...json, responseSchema: { type: "STRING" } }),
  ],
  [
    "two schemas",
    configured({ ...json, responseSchema: { type: "STRING" }, responseJsonSchema: {} }),
    "only one of response_schema and response_json_schema may be set.",
    configured({ ...json, responseJsonSchema: {} }),
  ],
  [
    "a schema that is none",
    configured({ ...json, responseJsonSchema: "string" }),
    `${config}.response_json_schema: must be a JSON schema object`,
    configured({ ...json, responseJsonSchema: { type: "string" } }),
  ],
  [
    "a reference in it that leads nowhere",
    configured({ ...json, responseJsonSchema: { properties: { at: { $ref: "#/$defs/at" } } } }),
    `${config}.response_json_schema: reference to undefined schema at properties.at`,
    configured({
      ...json,
      responseJsonSchema: { properties: { at: { $ref: "#/$defs/at" } }, $defs: { at: {} } },
    }),
  ],
  [
    "functions and a format, before the third generation",
    { ...declaring(echo), generationConfig: json },
    "Function calling with a response mime type: 'application/json' is unsupported",
    { ...plain, generationConfig: json },
  ],
];

const thoughts: readonly RefusalRow[] = [
  [
    "a level, of the second generation",
    thinking({ thinkingLevel: "LOW" }),
    "Thinking level is not supported for this model.",
    thinking({ thinkingBudget: 0 }),
  ],
  [
    "a budget, of one that does not think",
    thinking({ thinkingBudget: 100 }),
    "Thinking budget is not supported for this model.",
    plain,
    "gemini-2.0-flash",
  ],
  [
    "no thinking, of one that always does",
    thinking({ thinkingBudget: 0 }),
    "Budget 0 is invalid. This model only works in thinking mode.",
    thinking({ thinkingBudget: -1 }),
    "gemini-2.5-pro",
  ],
  [
    "a budget out of range",
    thinking({ thinkingBudget: 50_000 }),
    "The thinking budget 50000 is invalid. Please choose a value between 128 and 32768.",
    thinking({ thinkingBudget: 128 }),
    "gemini-2.5-pro",
  ],
  [
    "a budget and a level",
    thinking({ thinkingBudget: 1000, thinkingLevel: "LOW" }),
    "You can only set only one of thinking budget and thinking level.",
    thinking({ thinkingLevel: "MINIMAL", includeThoughts: true }),
    "gemini-3.5-flash",
  ],
  [
    "a level that the model has not",
    thinking({ thinkingLevel: "MINIMAL" }),
    "Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
    thinking({ thinkingLevel: "LOW" }),
    "gemini-3.1-pro-preview",
  ],
];

const tools: readonly RefusalRow[] = [
  [
    "a tool of nothing",
    { ...plain, tools: [{ functionDeclarations: [] }] },
    "tools[0].tool_type: required one_of 'tool_type' must have one initialized field",
    { ...plain, tools: [{ googleSearch: {} }] },
  ],
  [
    "a name with other letters",
    declaring({ name: "a b" }),
    `${functions}.name: Invalid function name. Must start with a letter or an underscore.`,
    declaring({ name: "a.b:c-d" }),
  ],
  [
    "two of one name",
    declaring(echo, echo),
    "Duplicate function declaration found: echo",
    declaring(echo, { name: "look" }),
  ],
  [
    "a list of it does not say what",
    parameters({ type: "ARRAY" }),
    `${functions}.parameters.items: missing field.`,
    parameters({ type: "ARRAY", items: { type: "STRING" } }),
  ],
  [
    "choices of numbers",
    parameters({ type: "OBJECT", properties: { at: { type: "INTEGER", enum: ["1"] } } }),
    `${functions}.parameters.properties[at].enum: only allowed for STRING type`,
    parameters({ type: "OBJECT", properties: { at: { type: "STRING", enum: ["1"] } } }),
  ],
  [
    "something required that there is not",
    parameters({ type: "OBJECT", required: ["at"] }),
    `${functions}.parameters.required[0]: property is not defined`,
    parameters({ type: "OBJECT", properties: { at: {} }, required: ["at"] }),
  ],
  [
    "two schemas",
    declaring({ ...echo, parameters: { type: "OBJECT" }, parametersJsonSchema: {} }),
    "only one of parameters and parameters_json_schema may be set.",
    jsonParameters({ type: "object", additionalProperties: false }),
  ],
  [
    "parameters that are no object",
    jsonParameters({ type: "string" }),
    `${functions}.parameters_json_schema: the schema of parameters must be of type object`,
    jsonParameters({ type: "object" }),
  ],
  [
    "a reference that does not stand alone",
    jsonParameters({ properties: { at: { $ref: "#/$defs/at", title: "At" } }, $defs: { at: {} } }),
    "'title' may not be set beside '$ref' at properties.at",
    jsonParameters({ properties: { at: { $ref: "#/$defs/at" } }, $defs: { at: { title: "At" } } }),
  ],
  [
    "a forced call of nothing",
    { ...plain, toolConfig: { functionCallingConfig: { mode: "ANY" } } },
    "Function calling config is set without function_declarations.",
    choosing({ mode: "ANY" }),
  ],
  [
    "a forced call of what there is not",
    choosing({ mode: "ANY", allowedFunctionNames: ["look"] }),
    "allowed_function_names should be a subset of the provided function_declarations",
    choosing({ mode: "ANY", allowedFunctionNames: ["echo"] }),
  ],
  [
    "a choice of names that is not forced",
    choosing({ mode: "AUTO", allowedFunctionNames: ["echo"] }),
    "allowed_function_names should only be set when",
    choosing({ mode: "VALIDATED", allowedFunctionNames: ["echo"] }),
  ],
  [
    "its own tools beside functions",
    { ...plain, tools: [{ googleSearch: {} }, { functionDeclarations: [echo] }] },
    "Tool use with function calling is unsupported",
    declaring(echo),
  ],
  [
    "the same unsaid, in the third generation",
    { ...plain, tools: [{ googleSearch: {} }, { functionDeclarations: [echo] }] },
    "Please enable tool_config.include_server_side_tool_invocations",
    {
      ...plain,
      tools: [{ googleSearch: {} }, { functionDeclarations: [echo] }],
      toolConfig: { includeServerSideToolInvocations: true },
    },
    "gemini-3.5-flash",
  ],
];

describe.each([
  ["for its settings", settings],
  ["for thinking", thoughts],
  ["for tools", tools],
])("Gemini refuses, %s,", (_, rows) => {
  test.each(byRule(rows))("%s", async (_rule, row) => {
    await expectRefusal(row);
  });
});

import type { ProviderStreamOptions, ToolDeclaration } from "@capstan/kernel";
import { expect, test } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor, claudeTarget, withoutMarkers } from "./requests.ts";

const inputSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { b: { type: "number" }, a: { type: "string", minLength: 1 } },
  required: ["b"],
  additionalProperties: false,
};
const add: ToolDeclaration = { name: "add", description: "Adds", inputSchema };
const bare: ToolDeclaration = { name: "bare", description: " ", inputSchema: {} };

test("a request has what it needs and nothing else", () => {
  expect(withoutMarkers(bodyFor("claude-sonnet-5", {}))).toEqual({
    model: "claude-sonnet-5",
    max_tokens: 128_000,
    stream: true,
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  });
});

test("tools are declared in their order, with their schemas as they are", () => {
  const { tools } = bodyFor("claude-sonnet-5", { tools: [add, bare] });

  expect(withoutMarkers(tools)).toEqual([
    { name: "add", description: "Adds", input_schema: inputSchema },
    { name: "bare", input_schema: { type: "object" } },
  ]);
});

test("a choice between whole inputs is told in words", () => {
  const anyOf = [{ type: "object", properties: { a: {} } }];

  const { tools } = bodyFor("claude-sonnet-5", {
    tools: [{ name: "pick", description: "Picks", inputSchema: { anyOf } }],
  });

  expect(withoutMarkers(tools)).toEqual([
    {
      name: "pick",
      description: `Picks\n\nThe input must match anyOf: ${JSON.stringify(anyOf)}`,
      input_schema: { type: "object" },
    },
  ]);
});

test.each([
  [{}, undefined],
  [{ toolChoice: "auto" }, undefined],
  [{ toolChoice: "none" }, { type: "none" }],
  [{ toolChoice: "required" }, { type: "any" }],
  [{ toolChoice: { tool: "add" } }, { type: "tool", name: "add" }],
] as const)("tool choice %j", (options, wanted) => {
  const { tool_choice: choice } = bodyFor("claude-sonnet-4-5", { tools: [add], options });

  expect(choice).toEqual(wanted);
});

test("the closing step declares the tools, and none may be called", () => {
  const options: ProviderStreamOptions = { toolChoice: "required" };

  const body = bodyFor("claude-sonnet-4-5", { tools: [add], toolChoice: "none", options });

  expect([body.tools?.length, body.tool_choice]).toEqual([1, { type: "none" }]);
});

test("without tools there is nothing to choose", () => {
  const body = bodyFor("claude-sonnet-4-5", { options: { toolChoice: "none" } });

  expect(body).not.toHaveProperty("tool_choice");
});

test.each([
  ["claude-opus-5", { maxTokens: 100, modelFacts: { maxOutputTokens: 200 } }, 100],
  ["claude-opus-5", { modelFacts: { maxOutputTokens: 200 } }, 200],
  ["claude-opus-5", {}, 128_000],
  ["claude-opus-4-1-20250805", {}, 32_000],
  ["claude-3-haiku-20240307", {}, 4096],
  ["another-maker-2", {}, 32_000],
])("%s with %j may write so many tokens", (model, options, wanted) => {
  expect(bodyFor(model, { options }).max_tokens).toBe(wanted);
});

test("a typed answer is asked for in the form that the vendor takes", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, description: "Of the city" },
      size: { oneOf: [{ type: "integer", minimum: 0 }, { type: "null" }] },
      tags: { type: "array", items: { type: "object", properties: {} }, minItems: 3 },
    },
    required: ["name"],
  };

  const body = bodyFor("claude-sonnet-5", { options: { output: { name: "city", schema } } });

  expect(body.output_config?.format).toEqual({
    type: "json_schema",
    schema: {
      type: "object",
      properties: {
        name: { type: "string", description: "Of the city\n(minLength: 1)" },
        size: { anyOf: [{ type: "integer", description: "(minimum: 0)" }, { type: "null" }] },
        tags: {
          type: "array",
          items: { type: "object", properties: {}, additionalProperties: false },
          description: "(minItems: 3)",
        },
      },
      required: ["name"],
      additionalProperties: false,
    },
  });
});

const tree = { $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } } };

test.each([
  ["claude-sonnet-5", { type: "object", additionalProperties: { type: "number" } }],
  ["claude-sonnet-5", { ...tree, $ref: "#/$defs/node" }],
  ["claude-sonnet-4", { type: "object", properties: {} }],
])("%s is told in words what it cannot be held to", (model, schema) => {
  const body = bodyFor(model, { options: { output: { name: "answer", schema } } });

  expect(body.output_config).toBeUndefined();
  expect(body.system?.at(-1)?.text).toContain(JSON.stringify(schema));
});

test("the caller's own options go into the body, and take away or add", () => {
  const anthropic = {
    metadata: { user_id: "u7" },
    thinking: { display: "omitted" },
    stream: false,
    messages: [],
  };

  const body = bodyFor("claude-opus-4-6", {
    options: { thinkingLevel: "high", providerOptions: { anthropic, openai: { x: 1 } } },
  });

  expect(body).toMatchObject({
    metadata: { user_id: "u7" },
    thinking: { type: "adaptive", display: "omitted" },
    stream: true,
    messages: [{ role: "user" }],
  });
  expect(body).not.toHaveProperty("x");
});

test("what the caller sets to null is not sent", () => {
  const options = { temperature: 0.5, providerOptions: { anthropic: { temperature: null } } };

  expect(bodyFor("claude-sonnet-4-5", { options })).not.toHaveProperty("temperature");
});

test("the caller's own tools come after ours, are merged with a namesake, or replace it", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const computer = { type: "computer_20250124", name: "bare" };
  const tools = [search, { name: "add", strict: true }, computer];

  const body = bodyFor("claude-sonnet-5", {
    tools: [add, bare],
    options: { providerOptions: { anthropic: { tools } } },
  });

  expect(withoutMarkers(body.tools)).toEqual([
    { name: "add", description: "Adds", input_schema: inputSchema, strict: true },
    computer,
    search,
  ]);
});

test("betas of the caller are a header and no part of the body", () => {
  const providerOptions = { anthropic: { betas: ["files-api-2025-04-14"] } };
  const request = requestOf({ options: { providerOptions } });

  const wire = anthropicMessages.encode(request, claudeTarget("claude-opus-5-5"));

  expect(wire.body).not.toHaveProperty("betas");
  expect(wire.headers).toEqual({
    "anthropic-beta": "thinking-binding-controls-2026-08-01,files-api-2025-04-14",
  });
});

import type { ChatMessage, ToolDeclaration } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor, gptTarget } from "./requests.ts";

const weather: ToolDeclaration = {
  name: "weather",
  description: "Weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const closed = { ...weather.inputSchema, additionalProperties: false };

describe("a request", () => {
  test("asks for a stream, keeps nothing at the vendor, and has the instructions apart", () => {
    const body = bodyFor("gpt-4.1", {
      options: { systemPrompt: "Be brief", temperature: 0.2, maxTokens: 100, sessionId: "s1" },
    });

    expect(body).toEqual({
      model: "gpt-4.1",
      stream: true,
      store: false,
      temperature: 0.2,
      max_output_tokens: 100,
      prompt_cache_key: "s1",
      instructions: "Be brief",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    });
  });

  test("to a model that thinks asks for its reasoning, and for no temperature", () => {
    const body = bodyFor("gpt-5.5-2026-04-01", {
      options: { temperature: 0.2, thinkingLevel: "high" },
    });

    expect(body).toMatchObject({
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
    });
    expect(body).not.toHaveProperty("temperature");
  });

  test.each([
    ["gpt-5", "off", "minimal"],
    ["gpt-5.1", "off", "none"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5.1", "xhigh", "high"],
    ["gpt-5.4", "max", "xhigh"],
    ["gpt-6-sol", "max", "max"],
    ["o4-mini", "minimal", "low"],
    ["o3", "off", "low"],
    ["openai/gpt-5.2", "xhigh", "xhigh"],
  ] as const)("to %s with the level %s has the effort %s", (model, thinkingLevel, effort) => {
    expect(bodyFor(model, { options: { thinkingLevel } }).reasoning?.effort).toBe(effort);
  });

  test("goes by what is known of the model before its name", () => {
    const thinks = { thinkingLevel: "low", modelFacts: { thinking: { low: "little" } } } as const;
    const doesNot = { thinkingLevel: "low", modelFacts: { thinking: false } } as const;

    expect(bodyFor("house-model", { options: thinks }).reasoning?.effort).toBe("little");
    expect(bodyFor("gpt-5.5", { options: doesNot })).not.toHaveProperty("reasoning");
  });

  test("declares tools in their order, strictly where the schema allows it", () => {
    const strict = { ...weather, name: "strict", inputSchema: closed };

    const body = bodyFor("gpt-5.5", { tools: [weather, strict] });

    expect(body.tools).toMatchObject([
      { type: "function", name: "weather", parameters: weather.inputSchema, strict: false },
      { type: "function", name: "strict", strict: true },
    ]);
  });

  test.each([
    [{ options: { toolChoice: "required" } }, "required"],
    [{ options: { toolChoice: { tool: "weather" } } }, { type: "function", name: "weather" }],
    [{ options: { toolChoice: "required" }, toolChoice: "none" }, "none"],
  ] as const)("with %j chooses %j", (request, choice) => {
    expect(bodyFor("gpt-5.5", { tools: [weather], ...request }).tool_choice).toEqual(choice);
    expect(bodyFor("gpt-5.5", request)).not.toHaveProperty("tool_choice");
  });

  test("holds the answer to a schema, in an object if it is none", () => {
    const object = { output: { name: "answer", schema: closed } };
    const items = { type: "string" };
    const list = { output: { name: "answer", schema: { type: "array", items } } };

    expect(bodyFor("gpt-5.5", { options: object }).text?.format).toEqual({
      type: "json_schema",
      name: "answer",
      schema: closed,
      strict: true,
    });
    expect(bodyFor("gpt-5.5", { options: list }).text?.format).toMatchObject({
      schema: { type: "object", properties: { answer: { type: "array" } }, required: ["answer"] },
      strict: true,
    });
  });

  test("takes the caller's own options, but for what makes it a conversation of ours", () => {
    const openai = {
      service_tier: "flex",
      reasoning: { summary: "detailed" },
      tools: [{ type: "web_search" }],
      store: true,
      previous_response_id: "resp_1",
    };

    const body = bodyFor("gpt-5.5", { tools: [weather], options: { providerOptions: { openai } } });

    expect(body).toMatchObject({
      service_tier: "flex",
      reasoning: { summary: "detailed" },
      tools: [{ name: "weather" }, { type: "web_search" }],
      store: false,
    });
    expect(body).not.toHaveProperty("previous_response_id");
  });

  test("has a key for the cache that the vendor takes, and the least tokens that it takes", () => {
    const body = bodyFor("gpt-5.5", { options: { sessionId: "s".repeat(100), maxTokens: 1 } });

    expect(body.prompt_cache_key?.length).toBeLessThanOrEqual(64);
    expect(body.max_output_tokens).toBe(16);
  });
});

describe("what users and tools say", () => {
  test("images, documents and texts are written as the vendor takes them", () => {
    const text = Buffer.from("a,b").toString("base64");
    const content = [
      { type: "text", text: "Look" },
      { type: "text", text: " " },
      tinyImage,
      { type: "document", mediaType: "application/pdf", data: "JVBERg==", name: "a.pdf" },
      { type: "document", mediaType: "text/csv", data: text, name: "t.csv" },
      { type: "document", mediaType: "application/zip", data: "UEs=" },
    ] as const;

    const { input } = bodyFor("gpt-5.5", { messages: [{ role: "user", id: "u1", content }] });

    expect(input).toMatchObject([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: `data:image/png;base64,${tinyImage.data}` },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,JVBERg==",
          },
          { type: "input_text", text: "t.csv:\n\na,b" },
          { type: "input_text", text: expect.stringContaining("is omitted") },
        ],
      },
    ]);
  });

  test("a model that sees no images is told that there was one", () => {
    const messages: ChatMessage[] = [{ role: "user", id: "u1", content: [tinyImage] }];

    const { input } = bodyFor("house-model", {
      messages,
      options: { modelFacts: { input: ["text"] } },
    });

    expect(input).toMatchObject([{ content: [{ type: "input_text" }] }]);
  });

  test("an error of the vendor that names a place is traced to the part", () => {
    const messages: ChatMessage[] = [
      { role: "system", id: "s1", content: "Be brief" },
      { role: "user", id: "u1", content: [{ type: "text", text: " " }, tinyImage] },
    ];

    const { partAt } = openAiResponses.encode(requestOf({ messages }), gptTarget("gpt-5.5"));

    expect(partAt?.("input[1].content[0].image_url")).toEqual({ messageId: "u1", part: 1 });
    expect(partAt?.("input[1].content[7]")).toBeUndefined();
    expect(partAt?.("tools[0].name")).toBeUndefined();
  });
});

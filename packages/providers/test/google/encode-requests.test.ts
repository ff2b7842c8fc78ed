import type { AssistantPart, ChatMessage, ToolDeclaration, ToolMessage } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor, geminiOrigin, geminiTarget, reply } from "./requests.ts";

const user: ChatMessage = { role: "user", id: "u1", content: "Hello" };
const weather: ToolDeclaration = {
  name: "weather",
  description: "Weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
};
const call: AssistantPart = {
  type: "tool_call",
  id: "our_call",
  name: "weather",
  input: { city: "Oslo" },
  providerData: { id: "g1", thoughtSignature: "sealed" },
};
const result: ToolMessage = {
  role: "tool",
  id: "our_call",
  toolCallId: "our_call",
  toolName: "weather",
  content: "Cold",
  isError: false,
};
const skips = "skip_thought_signature_validator";

/** The contents that a model gets after the user's first. */
function contentsFor(model: string, ...messages: readonly ChatMessage[]): unknown[] {
  return bodyFor(model, { messages: [user, ...messages] }).contents.slice(1);
}

describe("a request", () => {
  test("has its model in the path, and instructions, tools and limits apart", () => {
    const options = { systemPrompt: "Be brief", temperature: 0.2, maxTokens: 50 };
    const request = requestOf({ tools: [weather], options });

    const { path, body } = googleGenerate.encode(request, geminiTarget("gemini-2.0-flash"));

    expect(path).toBe("/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse");
    expect(body).toEqual({
      generationConfig: { maxOutputTokens: 50, temperature: 0.2 },
      tools: [
        {
          functionDeclarations: [
            {
              name: "weather",
              description: "Weather of a city",
              parametersJsonSchema: weather.inputSchema,
            },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: "Be brief" }] },
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    });
  });

  test("without a stream has another path", () => {
    const target = { ...geminiTarget("tunedModels/mine"), isStreaming: false };

    expect(googleGenerate.encode(requestOf({}), target).path).toBe(
      "/v1beta/tunedModels/mine:generateContent",
    );
  });

  test.each([
    ["gemini-2.5-flash", "off", { includeThoughts: false, thinkingBudget: 0 }],
    ["gemini-2.5-pro", "off", { includeThoughts: true, thinkingBudget: 128 }],
    ["gemini-2.5-flash", "max", { includeThoughts: true, thinkingBudget: 24_576 }],
    ["gemini-3.5-flash", "high", { includeThoughts: true, thinkingLevel: "high" }],
    ["gemini-3.5-flash", "max", { includeThoughts: true, thinkingLevel: "high" }],
    ["gemini-3.1-pro-preview", "off", { includeThoughts: true, thinkingLevel: "low" }],
    ["gemini-4-argon", "minimal", { includeThoughts: true, thinkingLevel: "low" }],
    ["gemini-3.5-flash", undefined, { includeThoughts: true }],
    ["gemini-2.0-flash", "high", undefined],
  ] as const)("to %s with the level %s asks for %j", (model, thinkingLevel, thinking) => {
    const options = thinkingLevel === undefined ? {} : { thinkingLevel };

    expect(bodyFor(model, { options }).generationConfig?.thinkingConfig).toEqual(thinking);
  });

  test.each([
    [{ toolChoice: "none" }, { mode: "NONE" }],
    [{ toolChoice: "required" }, { mode: "ANY" }],
    [{ toolChoice: { tool: "weather" } }, { mode: "ANY", allowedFunctionNames: ["weather"] }],
  ] as const)("with %j chooses %j", (options, functionCallingConfig) => {
    const body = bodyFor("gemini-3.5-flash", { tools: [weather], options });

    expect(body.toolConfig).toEqual({ functionCallingConfig });
  });

  test("holds the answer to a schema", () => {
    const output = { name: "answer", schema: { type: "object" } };

    expect(bodyFor("gemini-3.5-flash", { options: { output } }).generationConfig).toMatchObject({
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object" },
    });
  });

  test("that has nothing to say is not sent", () => {
    expect(() => bodyFor("gemini-3.5-flash", { messages: [] })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});

describe("a conversation", () => {
  test("has calls with their signatures, and results after them", () => {
    expect(contentsFor("gemini-3.5-flash", reply([call]), result)).toEqual([
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "g1", name: "weather", args: { city: "Oslo" } },
            thoughtSignature: "sealed",
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "g1", name: "weather", response: { output: "Cold" } } }],
      },
    ]);
  });

  test("has the word for no signature on the first call of a step that has none", () => {
    const foreign = { provider: "anthropic", api: "anthropic-messages", model: "claude-opus-5" };
    const other: AssistantPart = { ...call, id: "other" };
    const step = [reply([call, other], { origin: foreign }), result];
    const mixed = [reply([call, { ...other, providerData: { id: "g2" } }]), result];

    expect(contentsFor("gemini-3.5-flash", ...step)[0]).toMatchObject({
      parts: [{ thoughtSignature: skips }, {}],
    });
    expect(signatures(contentsFor("gemini-3.5-flash", ...step)[0])).toEqual([skips, undefined]);
    expect(signatures(contentsFor("gemini-3.5-flash", ...mixed)[0])).toEqual(["sealed", undefined]);
    expect(signatures(contentsFor("gemini-2.5-flash", ...step)[0])).toEqual([undefined, undefined]);
  });

  test("has no ids for calls of others: the vendor goes by their order", () => {
    const messages = [reply([call], { origin: geminiOrigin("gemini-2.5-pro") }), result];

    expect(JSON.stringify(contentsFor("gemini-3.5-flash", ...messages))).not.toContain("g1");
  });

  test("has a signed text as it came, and no thoughts", () => {
    const content: AssistantPart[] = [
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "Hi", providerData: { thoughtSignature: "s" } },
    ];

    expect(contentsFor("gemini-3.5-flash", reply(content), { ...user, id: "u2" })[0]).toEqual({
      role: "model",
      parts: [{ text: "Hi", thoughtSignature: "s" }],
    });
  });

  test("has what the vendor ran, as it came, for the same model alone", () => {
    const part = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s" };
    const ran: AssistantPart = {
      type: "tool_call",
      id: "x",
      name: "code_execution",
      input: {},
      isProviderExecuted: true,
      providerData: { part },
    };
    const outcome: AssistantPart = { type: "native", data: { codeExecutionResult: {} } };
    const next: ChatMessage = { ...user, id: "u2" };

    expect(contentsFor("gemini-3.5-flash", reply([ran, outcome]), next)[0]).toEqual({
      role: "model",
      parts: [part, { codeExecutionResult: {} }],
    });
    expect(contentsFor("gemini-2.5-pro", reply([ran, outcome]), next)).toEqual([]);
  });

  test("has results in the order of their calls, errors as such, and images after them", () => {
    const other: AssistantPart = { ...call, id: "other", name: "camera", providerData: {} };
    const failed = { ...result, isError: true };
    const picture = {
      ...result,
      id: "other",
      toolCallId: "other",
      toolName: "camera",
      content: [{ type: "text", text: "Look" }, tinyImage],
    } as const;

    expect(contentsFor("gemini-3.5-flash", reply([call, other]), picture, failed)[1]).toMatchObject(
      {
        role: "user",
        parts: [
          { functionResponse: { name: "weather", response: { error: "Cold" } } },
          { functionResponse: { name: "camera", response: { output: "Look" } } },
          { inlineData: { mimeType: "image/png", data: tinyImage.data } },
        ],
      },
    );
  });

  test("goes by turns, begins with the user, and ends with the user", () => {
    const said = reply([{ type: "text", text: "Hi" }]);

    const { contents } = bodyFor("gemini-3.5-flash", { messages: [said, { ...said, id: "a2" }] });

    expect(contents.map(({ role }) => role)).toEqual(["user", "model", "user"]);
    expect(contents[1]?.parts).toHaveLength(2);
  });

  test("answers unanswered calls", () => {
    expect(contentsFor("gemini-3.5-flash", reply([call]), { ...user, id: "u2" })[1]).toMatchObject({
      parts: [
        { functionResponse: { response: { error: expect.stringContaining("No result") } } },
        { text: "Hello" },
      ],
    });
  });

  test("is traced from a place in an error to the part", () => {
    const content = [{ type: "text", text: "Look" }, tinyImage] as const;
    const messages: ChatMessage[] = [{ role: "user", id: "u1", content }];

    const { partAt } = googleGenerate.encode(
      requestOf({ messages }),
      geminiTarget("gemini-3.5-flash"),
    );

    expect(partAt?.("contents[0].parts[1].inline_data")).toEqual({ messageId: "u1", part: 1 });
  });
});

function signatures(content: unknown): unknown[] {
  const { parts } = content as { parts: { thoughtSignature?: string }[] };
  return parts.map(({ thoughtSignature }) => thoughtSignature);
}

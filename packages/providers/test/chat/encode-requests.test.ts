import type { AssistantPart, ChatMessage, ToolDeclaration, ToolMessage } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor, chatOrigin, chatTarget, reply } from "./requests.ts";

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
  providerData: { id: "call_1" },
};
const result: ToolMessage = {
  role: "tool",
  id: "our_call",
  toolCallId: "our_call",
  toolName: "weather",
  content: "Cold",
  isError: false,
};
const thinking: AssistantPart = {
  type: "thinking",
  thinking: "Hm",
  providerData: { field: "reasoning", details: [{ type: "reasoning.text", text: "Hm" }] },
};

/** The messages that a server gets after the user's first. */
function messagesFor(
  messages: readonly ChatMessage[],
  quirks?: Parameters<typeof bodyFor>[2],
): unknown[] {
  return bodyFor("a-model", { messages: [user, ...messages] }, quirks).messages.slice(1);
}

describe("a request to any server", () => {
  test("asks for a stream with its counts, and for nothing that a server may not know", () => {
    const options = { systemPrompt: "Be brief", temperature: 0, maxTokens: 50, sessionId: "s" };

    expect(bodyFor("a-model", { options: { ...options, thinkingLevel: "high" } })).toEqual({
      model: "a-model",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 50,
      temperature: 0,
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "Hello" },
      ],
    });
  });

  test("declares tools, chooses among them, and holds the answer to a schema", () => {
    const output = { name: "answer", schema: { type: "object" } };

    const body = bodyFor("a-model", {
      tools: [weather],
      options: { toolChoice: { tool: "weather" }, output },
    });

    expect(body).toMatchObject({
      tools: [{ type: "function", function: { name: "weather", parameters: weather.inputSchema } }],
      tool_choice: { type: "function", function: { name: "weather" } },
      response_format: { type: "json_schema", json_schema: { name: "answer" } },
    });
  });

  test.each([
    [{ thinking: "effort" }, { reasoning_effort: "high" }],
    [{ thinking: "reasoning-object" }, { reasoning: { effort: "high" } }],
    [{ thinking: "thinking-switch" }, { thinking: { type: "enabled" }, reasoning_effort: "high" }],
  ] as const)("with the quirk %j asks for thinking so: %j", (quirks, fields) => {
    expect(bodyFor("a-model", { options: { thinkingLevel: "high" } }, quirks)).toMatchObject(
      fields,
    );
  });

  test("does not ask a model to think that is told to call a tool, where it cannot do both", () => {
    const options = { thinkingLevel: "high", toolChoice: "required" } as const;
    const request = { tools: [weather], options };

    expect(bodyFor("a-model", request, { thinking: "thinking-switch" })).toMatchObject({
      thinking: { type: "disabled" },
      tool_choice: "required",
    });
  });

  test("asks a model that is known to think by the word that it has for it", () => {
    const options = { thinkingLevel: "max", modelFacts: { thinking: { high: "full" } } } as const;

    expect(bodyFor("a-model", { options })).toMatchObject({ reasoning_effort: "full" });
  });

  test("keeps to what the server takes", () => {
    const quirks = {
      refusesStreamOptions: true,
      maxTokensField: "max_completion_tokens",
      takesCacheKey: true,
    } as const;

    const body = bodyFor("a-model", { options: { maxTokens: 5, sessionId: "s" } }, quirks);

    expect(body).toMatchObject({ max_completion_tokens: 5, prompt_cache_key: "s" });
    expect(body).not.toHaveProperty("stream_options");
  });
});

describe("a conversation", () => {
  test("has texts, calls and results, with the ids of the server", () => {
    const said: AssistantPart = { type: "text", text: "Let me see" };

    expect(messagesFor([reply([said, call]), result])).toEqual([
      {
        role: "assistant",
        content: "Let me see",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "weather", arguments: '{"city":"Oslo"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "Cold" },
    ]);
  });

  test("has ids of the shape that the server wants, the same for a call and its result", () => {
    const callIds = { character: /[a-zA-Z0-9]/, minLength: 9, maxLength: 9 };
    const foreign = reply([call], { origin: { provider: "openai", api: "openai-responses" } });

    const [asked, answered] = messagesFor([foreign, result], { callIds }) as [
      { tool_calls: [{ id: string }] },
      { tool_call_id: string },
    ];

    expect(asked.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(answered.tool_call_id).toBe(asked.tool_calls[0].id);
  });

  test.each([
    ["reasoning_content", { reasoning_content: "Hm" }],
    ["reasoning", { reasoning: "Hm" }],
    ["reasoning_details", { reasoning_details: [{ type: "reasoning.text", text: "Hm" }] }],
  ] as const)("has reasoning in %s, where the server wants it back", (reasoningField, field) => {
    const messages = [reply([thinking, call]), result];

    expect(messagesFor(messages, { reasoningField })[0]).toMatchObject(field);
    expect(messagesFor(messages)[0]).not.toHaveProperty(reasoningField);
  });

  test("has the field for reasoning, empty, where the server refuses calls without it", () => {
    const quirks = { reasoningField: "reasoning_content", needsReasoningField: true } as const;

    expect(messagesFor([reply([call]), result], quirks)[0]).toMatchObject({
      reasoning_content: "",
    });
  });

  test("shows the reasoning of a model to no other", () => {
    const messages = [reply([thinking, call], { origin: chatOrigin("another") }), result];

    expect(messagesFor(messages, { reasoningField: "reasoning" })[0]).not.toHaveProperty(
      "reasoning",
    );
  });

  test("has images from tools after the results, because only users can send them", () => {
    const other: AssistantPart = { ...call, id: "other", providerData: { id: "call_2" } };
    const picture = { ...result, content: [{ type: "text", text: "Look" }, tinyImage] } as const;
    const bare = { ...result, id: "other", toolCallId: "other", content: [tinyImage] } as const;
    const image = { type: "image_url", image_url: { url: expect.stringContaining("base64,") } };

    expect(messagesFor([reply([call, other]), picture, bare])).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "call_1", content: "Look" },
      { role: "tool", tool_call_id: "call_2", content: "(see the next message)" },
      { role: "user", content: [image, image] },
    ]);
  });

  test("has a word of the assistant between results and the user, where the server wants one", () => {
    const messages = [reply([call]), result, { ...user, id: "u2" }];

    expect(rolesOf(messagesFor(messages))).toEqual(["assistant", "tool", "user"]);
    expect(rolesOf(messagesFor(messages, { refusesUserAfterTool: true }))).toEqual([
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  test("has instructions in the middle as the user's, where the server takes none there", () => {
    const messages: ChatMessage[] = [{ role: "system", id: "s1", content: "Be brief" }];

    expect(messagesFor(messages)).toEqual([{ role: "system", content: "Be brief" }]);
    expect(messagesFor(messages, { refusesLateSystem: true })).toEqual([
      { role: "user", content: "<system>Be brief</system>" },
    ]);
  });

  test("has files where the server takes them, and a note where it does not", () => {
    const pdf = { type: "document", mediaType: "application/pdf", data: "JVBERg==" } as const;
    const messages: ChatMessage[] = [{ role: "user", id: "u2", content: [pdf, tinyImage] }];

    expect(messagesFor(messages, { takesFiles: true })).toMatchObject([
      { content: [{ type: "file", file: { filename: "document.pdf" } }, { type: "image_url" }] },
    ]);
    expect(messagesFor(messages)).toMatchObject([
      { content: [{ type: "text", text: expect.stringContaining("is omitted") }, {}] },
    ]);
  });

  test("answers unanswered calls, and leaves out results without a call", () => {
    expect(messagesFor([reply([call]), { ...user, id: "u2" }, result])).toMatchObject([
      { role: "assistant" },
      { role: "tool", content: expect.stringContaining("No result") },
      { role: "user" },
    ]);
  });

  test("leaves out replies that say nothing here, and those that failed", () => {
    const failed = reply([{ type: "text", text: "Oh" }], { stopReason: "error" });

    expect(messagesFor([reply([thinking]), failed])).toEqual([]);
  });

  test("is traced from a place in an error to the part", () => {
    const content = [{ type: "text", text: "Look" }, tinyImage] as const;
    const messages: ChatMessage[] = [{ role: "user", id: "u1", content }];
    const options = { systemPrompt: "Be brief" };

    const { partAt } = openAiChat.encode(requestOf({ messages, options }), chatTarget("a-model"));

    expect(partAt?.("messages[1].content[1].image_url")).toEqual({ messageId: "u1", part: 1 });
    expect(partAt?.("messages.0.content.0")).toBeUndefined();
  });
});

function rolesOf(messages: readonly unknown[]): string[] {
  return messages.map((message) => (message as { role: string }).role);
}

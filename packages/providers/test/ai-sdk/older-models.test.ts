import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { partsOf, requestOf } from "./models.ts";

test("a model of version 3 is asked in its own words", async () => {
  const picture = { type: "image", mediaType: "image/png", data: "AQID" } as const;
  const paper = {
    type: "document",
    mediaType: "application/pdf",
    data: "AQID",
    name: "a.pdf",
  } as const;
  const model = new MockLanguageModelV3({
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Hi" },
          { type: "text-end", id: "1" },
          {
            type: "finish",
            finishReason: { unified: "stop", raw: undefined },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: 1, text: 1, reasoning: 0 },
            },
          },
        ],
      }),
    },
  });
  const call = { type: "tool_call", id: "c1", name: "look", input: {} } as const;
  const { messages } = requestOf({
    messages: [
      { role: "user", id: "u", content: [picture, paper] },
      { role: "assistant", id: "a", content: [call], stopReason: "tool-calls" },
      {
        role: "tool",
        id: "c1",
        toolCallId: "c1",
        toolName: "look",
        content: [picture, paper],
        isError: false,
      },
    ],
  });

  const parts = await partsOf(model, { messages, options: { thinkingLevel: "high" } });

  expect(parts.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: 1 } });
  const [asked] = model.doStreamCalls;
  expect(asked).not.toHaveProperty("reasoning");
  expect(asked?.prompt).toMatchObject([
    {
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data: "AQID" },
        { type: "file", mediaType: "application/pdf", data: "AQID", filename: "a.pdf" },
      ],
    },
    { role: "assistant" },
    {
      role: "tool",
      content: [
        {
          output: {
            type: "content",
            value: [
              { type: "image-data", mediaType: "image/png", data: "AQID" },
              { type: "file-data", mediaType: "application/pdf", data: "AQID", filename: "a.pdf" },
            ],
          },
        },
      ],
    },
  ]);
});

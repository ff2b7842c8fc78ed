import type { JsonValue, RunTurnInput } from "@capstan/kernel";
import type { FinishedTurn } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { google } from "../src/google.ts";
import { openai } from "../src/openai.ts";
import { openaiCompatible } from "../src/openai-compatible.ts";
import type { VendorFunction } from "../src/vendors/vendor-function.ts";
import { turnWith } from "./emulated-turns.ts";
import { answering, recording, serve, sse } from "./transport/test-vendor.ts";

const house: VendorFunction = openaiCompatible({ baseUrl: "http://localhost", id: "house" });

function claudeRefuses(details: JsonValue, ...before: JsonValue[]): JsonValue[] {
  const delta = { stop_reason: "refusal", stop_details: details };
  const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 3 } } };
  return [start, ...before, { type: "message_delta", delta }, { type: "message_stop" }];
}

const explained = {
  type: "refusal",
  category: "cyber",
  explanation: "This request could enable cyber harm.",
};
const unexplained = { type: "refusal", category: "bio", explanation: null };
const hate = { category: "HARM_CATEGORY_HATE_SPEECH", probability: "HIGH" };
const mild = { category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" };

describe("a reply without a text keeps the vendor's explanation", () => {
  test.each<[string, VendorFunction, readonly JsonValue[], string]>([
    ["Claude", anthropic, claudeRefuses(explained), "This request could enable cyber harm."],
    [
      "Claude, without a sentence",
      anthropic,
      claudeRefuses(unexplained),
      "anthropic refused to answer because of its policy (bio).",
    ],
    [
      "Gemini, of the prompt",
      google,
      [{ promptFeedback: { blockReason: "SAFETY", safetyRatings: [mild, hate] } }],
      "google blocked the request: SAFETY (HATE_SPEECH: HIGH).",
    ],
    [
      "Gemini, in a sentence",
      google,
      [{ promptFeedback: { blockReason: "OTHER", blockReasonMessage: "Not in this country." } }],
      "Not in this country.",
    ],
    [
      "Gemini, of the reply",
      google,
      [{ candidates: [{ finishReason: "SAFETY", safetyRatings: [{ ...hate, blocked: true }] }] }],
      "google blocked its reply: SAFETY (HATE_SPEECH: HIGH).",
    ],
    [
      "Gemini, for another reason",
      google,
      [{ candidates: [{ finishReason: "LANGUAGE", finishMessage: "Unsupported language." }] }],
      "Unsupported language.",
    ],
    [
      "Chat Completions",
      house,
      [
        {
          choices: [
            {
              delta: {},
              finish_reason: "content_filter",
              content_filter_results: { hate: { filtered: true, severity: "high" } },
            },
          ],
        },
      ],
      "house blocked its reply: content filter (hate: high).",
    ],
    [
      "Responses",
      openai,
      [
        {
          type: "response.incomplete",
          response: {
            id: "r",
            status: "incomplete",
            incomplete_details: { reason: "content_filter" },
            output: [],
          },
        },
      ],
      "openai blocked its reply: content filter.",
    ],
  ])("of %s", async (_, vendor, events, explanation) => {
    const turn = await ask(vendor, events);

    const providerData = { isExplanation: true };
    expect(turn.messages).toMatchObject([
      { role: "assistant", content: [{ type: "refusal", text: explanation, providerData }] },
    ]);
  });
});

test("a refusal after a text keeps the vendor's explanation beside it", async () => {
  const block = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "I" },
  };
  const end = { type: "content_block_stop", index: 0 };

  const turn = await ask(anthropic, claudeRefuses(explained, block, end));

  expect(turn.finishReason).toBe("content-filter");
  expect(turn.messages).toMatchObject([
    { content: [{ type: "text", text: "I" }], metadata: { stop_details: explained } },
  ]);
});

test.each<[string, VendorFunction, readonly JsonValue[]]>([
  [
    "Claude",
    anthropic,
    claudeRefuses(explained, {
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "I" },
    }),
  ],
  [
    "Gemini",
    google,
    [{ candidates: [{ content: { parts: [{ text: "I" }] }, finishReason: "SAFETY" }] }],
  ],
  [
    "Chat Completions",
    house,
    [{ choices: [{ delta: { content: "I" }, finish_reason: "content_filter" }] }],
  ],
  [
    "Responses",
    openai,
    [
      {
        type: "response.incomplete",
        response: {
          id: "r",
          status: "incomplete",
          incomplete_details: { reason: "content_filter" },
          output: [{ type: "message", id: "i", content: [{ type: "output_text", text: "I" }] }],
        },
      },
    ],
  ],
])(
  "a text of %s that the vendor cuts off is followed by no explanation",
  async (_, vendor, events) => {
    const turn = await ask(vendor, events);

    expect(turn.finishReason).toBe("content-filter");
    expect(turn.messages).toMatchObject([{ content: [{ type: "text", text: "I" }] }]);
  },
);

describe("a call of Gemini's that the vendor cannot read", () => {
  const malformed = {
    candidates: [
      { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed function call: print(" },
    ],
  };
  const said = { candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }] };

  test("is asked for once more", async () => {
    const { turn, requests } = await askInTurn([malformed], [said]);

    expect(turn.finishReason).toBe("stop");
    expect(requests).toBe(2);
  });

  test("is told when it happens again", async () => {
    const { turn, requests } = await askInTurn([malformed], [malformed], [said]);

    expect(turn.finishReason).toBe("error");
    expect(turn.error).toMatchObject({ code: "protocol" });
    expect(turn.error?.message).toContain("Malformed function call: print(");
    expect(requests).toBe(2);
  });
});

async function ask(
  vendor: VendorFunction,
  events: readonly JsonValue[],
  input: Partial<RunTurnInput> = {},
): Promise<FinishedTurn> {
  const url = await serve(answering(sse(...events)));
  return turnWith({ vendor, model: "m", url, ...input });
}

/** Each list of events is the answer to one request. */
async function askInTurn(
  ...answers: readonly (readonly JsonValue[])[]
): Promise<{ readonly turn: FinishedTurn; readonly requests: number }> {
  const asked: Parameters<typeof recording>[0] = [];
  const url = await serve(
    recording(asked, (response) => {
      const events = answers[asked.length - 1] ?? [];
      response.writeHead(200, { "content-type": "text/event-stream" }).end(sse(...events));
    }),
  );
  const retry = { maxAttempts: 5, baseDelayMs: 1 };
  const turn = await turnWith({ vendor: google, model: "m", url, limits: { retry } });
  return { turn, requests: asked.length };
}

import { createHash } from "node:crypto";
import type { AssistantMessage } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import type { ReplyAdapter } from "./compare-reply.ts";
import { compareReply } from "./compare-reply.ts";
import type { Expectation } from "./fixtures.ts";
import { asRecorded, cutAnywhere, inPiecesOf } from "./replay.ts";

const adapter: ReplyAdapter = {
  finishReason: (word) => (word === "done" ? "tool-calls" : undefined),
  callId: ({ providerData }) => (typeof providerData === "string" ? providerData : undefined),
  seals: (part) => (part.type === "thinking" ? ["seal"] : []),
  serverTool: (part) => (part.type === "native" ? "search" : undefined),
  errorCode: () => "overloaded",
};

const message: AssistantMessage = {
  role: "assistant",
  id: "m1",
  content: [
    { type: "thinking", thinking: "Hm", providerData: "seal" },
    { type: "text", text: "Hi" },
    { type: "native", data: {} },
    { type: "tool_call", id: "c1", name: "ls", input: { path: "." }, providerData: "v1" },
    { type: "tool_call", id: "c2", name: "ls", input: {}, malformedInput: "{", providerData: "v2" },
  ],
  stopReason: "tool-calls",
  usage: { inputTokens: 10, outputTokens: 5 },
};

const sha256 = createHash("sha256").update("seal").digest("hex").slice(0, 16);
const expected: Expectation = {
  ok: true,
  error: null,
  text: "Hi",
  reasoning: "Hm",
  reasoning_blocks: [{ signature: { chars: 4, sha256 } }, { encrypted: null }],
  tool_calls: [
    { id: "v1", name: "ls", arguments: { path: "." } },
    { id: "v2", name: "ls", arguments: null },
  ],
  server_tools: [{ type: "search" }],
  order: ["reasoning", "text", "server_tool", "tool_call", "tool_call"],
  finish_reason: "done",
  usage: { input: 10, output: 5, cache_read: 0, reasoning: null },
};

test("a reply that was decoded to what it is has no differences", () => {
  expect(compareReply({ parts: [], message, error: undefined }, expected, adapter)).toEqual([]);
});

test.each<[string, Partial<Expectation>]>([
  ["text", { text: "Ho" }],
  ["reasoning", { reasoning: "" }],
  ["refusal", { refusal: "No" }],
  ["reasoning_blocks", { reasoning_blocks: [{ data: { chars: 4, sha256: "0" } }] }],
  ["tool_calls", { tool_calls: [] }],
  ["server_tools", { server_tools: [] }],
  ["order", { order: ["text"] }],
  ["usage.output", { usage: { input: 10, output: 6 } }],
  ["usage.cache_read", { usage: { input: 10, output: 5, cache_read: 3 } }],
  ["ok", { ok: false }],
])("a difference in %s is told", (fact, changes) => {
  const differences = compareReply(
    { parts: [], message, error: undefined },
    { ...expected, ...changes },
    adapter,
  );

  expect(differences).toHaveLength(1);
  expect(differences[0]).toMatch(new RegExp(`^${fact}: `));
});

test("facts that are known to differ are left out", () => {
  const decoded = { parts: [], message, error: undefined };

  const differences = compareReply(
    decoded,
    { ...expected, text: "Ho" },
    { ...adapter, except: () => ["text"] },
  );

  expect(differences).toEqual([]);
});

test("another finish reason is told", () => {
  const decoded = { parts: [], message: { ...message, stopReason: "stop" }, error: undefined };

  expect(compareReply(decoded, expected, adapter)).toEqual([
    'finish_reason: "stop" instead of "tool-calls"',
  ]);
});

function failedWith(error: ProviderError): Parameters<typeof compareReply>[0] {
  return { parts: [], message: undefined, error };
}

test("a failure has to say what the vendor said, with the right code, or that it was cut off", () => {
  const failed: Expectation = { ...expected, ok: false, error: { message: "Too busy" } };
  const right = failedWith(new ProviderError("overloaded", "It said: Too busy"));
  const wrong = failedWith(new ProviderError("auth", "It said something"));

  expect(compareReply(right, failed, adapter)).toEqual([]);
  expect(compareReply(wrong, failed, adapter)).toHaveLength(2);
  expect(compareReply(wrong, { ...failed, truncated: true }, adapter)).toHaveLength(1);
  expect(compareReply(right, expected, adapter)[0]).toMatch(/^ok: false instead of true/);
});

test("a reply that is cut is the same bytes", () => {
  const body = new TextEncoder().encode("data: 0123456789\n\n");
  const reply = {
    name: "r",
    request: undefined,
    status: 200,
    isStream: true,
    body,
    chunkLengths: [5, 6, 7],
    expect: expected,
  };

  const cuts = [
    asRecorded(reply),
    cutAnywhere(reply, 1),
    cutAnywhere(reply, 2),
    inPiecesOf(reply, 4),
  ];

  expect(cuts.map((chunks) => Buffer.concat(chunks).toString())).toEqual(
    cuts.map(() => "data: 0123456789\n\n"),
  );
  expect(cuts[0]?.map(({ length }) => length)).toEqual([5, 6, 7]);
  expect(cuts[3]?.map(({ length }) => length)).toEqual([4, 4, 4, 4, 2]);
  expect(cutAnywhere(reply, 1)).toEqual(cuts[1]);
  expect(cutAnywhere(reply, 2)).not.toEqual(cuts[1]);
});

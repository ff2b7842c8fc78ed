import { callTool, failAfter, refuse, reply, say, think } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type {
  ChatDialectName,
  EmulatorScriptItem,
  OpenAiChatEmulatorOptions,
} from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { user } from "./chat-request.ts";
import { askChat } from "./exchange.ts";

const models: Readonly<Record<ChatDialectName, string>> = {
  openai: "gpt-4.1",
  mistral: "mistral-small-latest",
  deepseek: "deepseek-v4-pro",
  openrouter: "anthropic/claude-haiku-4.5",
  groq: "openai/gpt-oss-120b",
  ollama: "gpt-oss:120b",
};

interface Chunk {
  readonly choices?: readonly { readonly delta: object; readonly finish_reason: string | null }[];
  readonly [key: string]: unknown;
}

/** The stream as it is, and its chunks. */
async function stream(item: EmulatorScriptItem, options: OpenAiChatEmulatorOptions = {}) {
  await using emulator = await openAiChatEmulator([item], options);
  const model = models[options.dialect ?? "openai"];
  const { text } = await askChat(emulator, { model, messages: [user], stream: true });
  const chunks = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Chunk);
  return {
    text,
    chunks,
    deltas: chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta)),
  };
}

function finishes(chunks: readonly Chunk[]) {
  return chunks
    .flatMap(({ choices = [] }) => choices.map((choice) => choice.finish_reason))
    .filter(Boolean);
}

function pieces(deltas: readonly object[]): object[] {
  return deltas.flatMap((delta) => (delta as { tool_calls?: object[] }).tool_calls ?? []);
}

const thinking = reply(think(["H", "m"]), say("Yes"));

describe("thinking stands", () => {
  test("nowhere, with OpenAI", async () => {
    const { text, deltas } = await stream(thinking);

    expect(text).not.toContain("Hm");
    expect(deltas).toEqual([
      { role: "assistant", content: null, refusal: null },
      { content: "Yes" },
      {},
    ]);
  });

  test("in a field, with DeepSeek, Groq and Ollama", async () => {
    const deepSeek = await stream(thinking, { dialect: "deepseek" });
    const groq = await stream(thinking, { dialect: "groq" });
    const ollama = await stream(thinking, { dialect: "ollama" });

    expect(deepSeek.deltas.slice(0, 2)).toEqual([
      { role: "assistant", content: null, reasoning_content: "" },
      { content: null, reasoning_content: "H" },
    ]);
    expect(groq.deltas[1]).toEqual({ content: "", reasoning: "H" });
    expect(ollama.deltas[2]).toEqual({ content: "", reasoning: "m" });
  });

  test("in details that are signed, with OpenRouter", async () => {
    const { text, deltas } = await stream(thinking, { dialect: "openrouter" });

    const head = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
    expect(text).toMatch(/^: OPENROUTER PROCESSING\n\n/);
    expect(deltas.slice(0, 4)).toEqual([
      {
        role: "assistant",
        content: "",
        reasoning: "H",
        reasoning_details: [{ ...head, text: "H" }],
      },
      {
        role: "assistant",
        content: "",
        reasoning: "m",
        reasoning_details: [{ ...head, text: "m" }],
      },
      {
        role: "assistant",
        content: "",
        reasoning: null,
        reasoning_details: [{ ...head, signature: expect.stringMatching(/^Eq/) as string }],
      },
      { role: "assistant", content: "Yes" },
    ]);
  });

  test("in parts of the content, with Mistral", async () => {
    const { deltas } = await stream(thinking, { dialect: "mistral" });

    expect(deltas.slice(1)).toEqual([
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "H" }] }] },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "m" }] }] },
      { content: [{ type: "thinking", thinking: [], closed: true }] },
      { content: "Yes" },
      {},
    ]);
  });
});

describe("calls come", () => {
  const calls = reply(callTool("look", { at: 1 }, { argumentDeltas: 2 }), callTool("look"));

  test("in pieces, by number, with OpenAI", async () => {
    const { deltas } = await stream(calls);

    expect(pieces(deltas)).toMatchObject([
      { index: 0, id: "call_000000000000000000000001", function: { name: "look", arguments: "" } },
      { index: 0, function: { arguments: '{"at' } },
      { index: 0, function: { arguments: '":1}' } },
      { index: 1, id: "call_000000000000000000000002", function: { name: "look", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
  });

  test("whole, with ids of their own, with Mistral, Groq and Ollama", async () => {
    const mistral = await stream(calls, { dialect: "mistral" });
    const groq = await stream(calls, { dialect: "groq" });
    const ollama = await stream(calls, { dialect: "ollama" });

    const whole = { index: 0, type: "function", function: { name: "look", arguments: '{"at":1}' } };
    expect(pieces(mistral.deltas)[0]).toEqual({ ...whole, id: "c00000001" });
    expect(pieces(groq.deltas)[0]).toEqual({ ...whole, id: "g00000001" });
    expect(pieces(ollama.deltas)[0]).toEqual({ ...whole, id: "call_00000001" });
  });

  test("without a number, from one, or named again in every piece, if a test says so", async () => {
    const missing = await stream(calls, { quirks: { callIndex: "missing" } });
    const fromOne = await stream(calls, { quirks: { callIndex: "from-one" } });
    const repeated = await stream(calls, { quirks: { repeatsCalls: true } });

    expect(pieces(missing.deltas).map((piece) => "index" in piece)).toEqual(Array(5).fill(false));
    expect(pieces(missing.deltas)[1]).toHaveProperty("id", "call_000000000000000000000001");
    expect(pieces(fromOne.deltas).map((piece) => (piece as { index: number }).index)).toEqual([
      1, 1, 1, 2, 2,
    ]);
    expect(pieces(repeated.deltas)[2]).toMatchObject({
      id: "call_000000000000000000000001",
      function: { name: "look" },
    });
  });
});

describe("a stream ends", () => {
  test("with its reason once, and the counts where each server has them", async () => {
    const openAi = await stream(say("Yes"));
    const mistral = await stream(say("Yes"), { dialect: "mistral" });
    const groq = await stream(say("Yes"), { dialect: "groq" });

    expect([finishes(openAi.chunks), finishes(mistral.chunks)]).toEqual([["stop"], ["stop"]]);
    expect(openAi.chunks.at(-1)).not.toHaveProperty("usage");
    expect(mistral.chunks.at(-1)).toHaveProperty("usage.completion_tokens", 1);
    expect(groq.chunks.at(-1)).toHaveProperty("x_groq.usage.completion_tokens", 1);
    expect(openAi.text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
  });

  test("with its reason twice, and the counts after the second, with OpenRouter", async () => {
    const { chunks } = await stream(say("Yes"), { dialect: "openrouter" });

    expect(finishes(chunks)).toEqual(["stop", "stop"]);
    expect(chunks.map((chunk) => "usage" in chunk).lastIndexOf(true)).toBe(chunks.length - 1);
  });

  test("without a reason, and without the mark of its end, if a test says so", async () => {
    const { text, chunks } = await stream(say("Yes"), {
      quirks: { finishReason: "missing", hasDone: false },
    });

    expect(finishes(chunks)).toEqual([]);
    expect(text).not.toContain("[DONE]");
  });
});

test("a role may be missing, a text may come as parts, and a stream may open with an empty chunk", async () => {
  const { chunks, deltas } = await stream(say("Yes"), {
    quirks: { role: "missing", content: "parts", opening: "empty-chunk" },
  });

  expect(chunks[0]).toEqual({ id: "", object: "", created: 0, model: "", choices: [] });
  expect(deltas).toEqual([{ content: [{ type: "text", text: "Yes" }] }, {}]);
});

test("each server says in its own way that it failed in the middle", async () => {
  const failing = failAfter(say("Y"), "invalid_request");
  const openAi = await stream(failing);
  const groq = await stream(failing, { dialect: "groq" });
  const openRouter = await stream(failing, { dialect: "openrouter" });

  expect(openAi.chunks.at(-1)).toMatchObject({ error: { code: "invalid_prompt" } });
  expect(groq.text).toMatch(
    /event: error\ndata: \{"error":\{.*"code":"tool_use_failed","status_code":400\}\}\n\n$/,
  );
  expect(openRouter.chunks.at(-1)).toMatchObject({
    object: "chat.completion.chunk",
    error: { message: "Provider returned error", code: 400 },
    choices: [{ finish_reason: "error" }],
  });
});

test("a refusal has a field where there is one, and is text elsewhere", async () => {
  const openAi = await stream(refuse("No."));
  const groq = await stream(refuse("No."), { dialect: "groq" });

  expect(openAi.deltas[1]).toEqual({ refusal: "No." });
  expect(groq.deltas[1]).toEqual({ content: "No." });
});

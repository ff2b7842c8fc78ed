import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type { Entry, EntryBody } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { tinyImage } from "@capstan/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  mostTokensOfMessage,
  tokensOfMessage,
  tokensOfText,
} from "../../src/context/estimate-tokens.ts";
import type { RequestFrame } from "../../src/context/token-count.ts";
import { ContextSize } from "../../src/context/token-count.ts";

const frame: RequestFrame = {
  model: "scripted/big",
  instructions: "Be brief.",
  tools: [{ name: "echo", description: "Echoes", inputSchema: { type: "object" } }],
  hasCustom: false,
};

/** A session of which the size is asked. */
class Sized {
  readonly fold = new SessionFold();
  readonly size = new ContextSize(this.fold);

  constructor() {
    this.add({ type: "created", agent: "helper" });
    this.add({ type: "input", messages: [says("u1", "Hello")] });
    this.add({ type: "turn_started", turnId: "t", input: ["e2"] });
  }

  add(body: EntryBody): void {
    const seq = this.fold.seq + 1;
    const entry: Entry = { v: 1, id: `e${seq}`, seq, at: 0, ...body };
    this.fold.apply(entry);
  }

  /** A step of the model, for which the provider reports so much, and what its tool gave. */
  step(number: number, inputTokens: number | undefined, output: string): void {
    const toolCallId = `c${number}`;
    const call = { type: "tool_call", id: toolCallId, name: "echo", input: {} } as const;
    const message = { role: "assistant", id: `a${number}`, content: [call] } as const;
    const place = { turnId: "t", step: number } as const;
    const usage = inputTokens === undefined ? {} : { usage: { inputTokens, outputTokens: 10 } };
    this.add({ ...place, type: "message", message: { ...message, stopReason: "tool-calls" } });
    this.add({
      ...place,
      type: "attempt_ended",
      attempt: 1,
      outcome: "completed",
      model: "scripted/big",
      ...usage,
    });
    const result = { isError: false, output };
    this.add({ ...place, type: "tool_result", toolCallId, toolName: "echo", result });
  }

  get count() {
    return this.size.count(frame);
  }
}

function says(id: string, content: string): ChatMessage {
  return { role: "user", id, content };
}

describe("the size of the next request", () => {
  test("is what the provider has counted, with the reply, and an estimate of what came since", () => {
    const sized = new Sized();

    sized.step(1, 5_000, "x".repeat(350));

    expect(sized.count).toEqual({ tokens: 5_010 + 100 + 4, isEstimate: true });
  });

  test("is no estimate where nothing came since, for the model that has counted", () => {
    const sized = new Sized();
    const place = { turnId: "t", step: 1 } as const;
    const content = [{ type: "text", text: "Hello" }] as const;
    const message = { role: "assistant", id: "a1", content, stopReason: "stop" } as const;
    sized.add({ ...place, type: "message", message });
    const usage = { inputTokens: 90, cacheReadTokens: 80, outputTokens: 10 };
    const ended = { ...place, type: "attempt_ended", attempt: 1, model: "scripted/big" } as const;
    sized.add({ ...ended, outcome: "completed", usage });

    const others = sized.size.count({ ...frame, model: "scripted/small" });

    expect(sized.count).toEqual({ tokens: 100, isEstimate: false });
    expect(others).toEqual({ tokens: 100, isEstimate: true });
  });

  test("is an estimate of everything where nobody has counted: instructions, tools, messages", () => {
    const sized = new Sized();
    const bare = sized.size.count({ ...frame, instructions: undefined, tools: [] }).tokens;

    const { tokens, isEstimate } = new ContextSize(sized.fold).count(frame);

    expect(isEstimate).toBe(true);
    expect(bare).toBeGreaterThan(1);
    expect(tokens).toBeGreaterThan(bare + tokensOfText("Be brief."));
  });

  test.each<[what: string, entry: EntryBody]>([
    ["an eviction", { type: "eviction", turnId: "t", toolCallIds: ["c1"] }],
    ["a quarantine", { type: "quarantine", turnId: "t", messageId: "u1", part: 0 }],
    ["another prompt", { type: "prompt", turnId: "t", toolsHash: "h2" }],
    [
      "a compaction",
      { type: "compaction", turnId: "t", through: "a1", summary: "S", before: 9, after: 1 },
    ],
  ])("is no longer what was counted after %s", (_, entry) => {
    const sized = new Sized();
    sized.step(1, 5_000, "x");

    sized.add(entry);

    expect(sized.count.tokens).toBeLessThan(1_000);
  });

  test("leaves out what was evicted, and what a summary stands for", () => {
    const sized = new Sized();
    sized.step(1, undefined, "x".repeat(7_000));
    sized.step(2, undefined, "y".repeat(7_000));
    const before = sized.count.tokens;

    sized.add({ type: "eviction", turnId: "t", toolCallIds: ["c2"] });
    const evicted = sized.count.tokens;
    const summary = { summary: "Short", before: 9, after: 1 };
    sized.add({ type: "compaction", turnId: "t", through: "c1", ...summary });

    expect(before - evicted).toBeGreaterThan(1_900);
    expect(evicted - sized.count.tokens).toBeGreaterThan(1_900);
  });

  test("begins anew with another history", () => {
    const sized = new Sized();
    sized.step(1, 5_000, "x");
    sized.add({ type: "turn_ended", turnId: "t", finishReason: "stop", usage: {} });

    sized.add({ type: "history_loaded", messages: [says("u9", "x".repeat(350))] });

    expect(sized.count.tokens).toBeLessThan(200);
  });

  test("costs no more with many messages than with few: each is looked at once", () => {
    let reads = 0;
    const counted = (id: string): ChatMessage => ({
      role: "user",
      id,
      get content() {
        reads += 1;
        return "Hello";
      },
    });
    const sized = new Sized();
    sized.add({ type: "turn_ended", turnId: "t", finishReason: "stop", usage: {} });
    const messages = Array.from({ length: 1_000 }, (_, place) => counted(`m${place}`));
    sized.add({ type: "history_loaded", messages });
    sized.size.reaches(1_000_000, frame);
    reads = 0;

    sized.size.reaches(1_000_000, frame);
    sized.add({ type: "input", id: "i9", messages: [counted("m9")] } as EntryBody);
    sized.add({ type: "turn_started", turnId: "i9", input: ["i9"] });
    sized.size.reaches(1_000_000, frame);

    expect(reads).toBeLessThan(5);
  });

  test("reaches a limit exactly where the count does", () => {
    const sized = new Sized();
    sized.step(1, 500, "word ".repeat(200));
    const { tokens } = sized.count;
    const fresh = new ContextSize(sized.fold);

    const reached = [tokens - 1, tokens, tokens + 1].map((limit) => fresh.reaches(limit, frame));

    expect(reached).toEqual([true, true, false]);
  });
});

describe("an estimate", () => {
  test.each([
    ["English", "The quick brown fox jumps over the lazy dog. ".repeat(20), 200],
    ["Russian", "Съешь ещё этих мягких французских булок. ".repeat(20), 220],
    ["Chinese", "我能吞下玻璃而不伤身体。".repeat(20), 200],
    ["Hindi", "मैं काँच खा सकता हूँ। ".repeat(20), 200],
    ["emoji", "👩‍🚀🎉".repeat(40), 160],
  ])("of %s is not too low", (_, text, atLeast) => {
    expect(tokensOfText(text)).toBeGreaterThanOrEqual(atLeast);
    expect(tokensOfText(text)).toBeLessThan(atLeast * 3);
  });

  test("counts pictures by a fixed amount, and documents by their size", () => {
    const pdf = {
      type: "document",
      mediaType: "application/pdf",
      data: "A".repeat(400_000),
    } as const;
    const note = { type: "document", mediaType: "text/plain", data: "A".repeat(4_000) } as const;

    const [image, large, small] = ([tinyImage, pdf, note] as const).map((part) =>
      tokensOfMessage({ role: "user", id: "u", content: [part] }, false),
    );

    expect(image).toBeGreaterThan(1_000);
    expect(large).toBeGreaterThan(10_000);
    expect(small).toBeGreaterThan(700);
    expect(small).toBeLessThan(2_000);
  });

  test("never has more than is known without looking at the text", () => {
    const anyText = fc.string({ unit: "binary", maxLength: 300 });
    const anyInput = fc.jsonValue({ stringUnit: "binary", maxDepth: 3 });
    fc.assert(
      fc.property(anyText, anyInput, (text, input) => {
        const call = {
          type: "tool_call",
          id: "c",
          name: text,
          input: { input: input as JsonValue, text },
        } as const;
        const content = [{ type: "text", text }, call] as const;
        const message = { role: "assistant", id: "a", content, stopReason: "stop" } as const;

        expect(mostTokensOfMessage(message, false)).toBeGreaterThanOrEqual(
          tokensOfMessage(message, false),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test("counts messages of the application only where a model may see them", () => {
    const message: ChatMessage = { role: "custom", id: "x", kind: "note", data: "x".repeat(3_500) };

    expect(tokensOfMessage(message, false)).toBeLessThan(10);
    expect(tokensOfMessage(message, true)).toBeGreaterThan(900);
  });
});

import type { ProviderPart } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerUnwrapper } from "../../src/transport/unwrap-answer.ts";

/** The text that is read if it comes in pieces, each in a read of its own. */
function read(pieces: readonly string[]): string {
  const unwrapper = new AnswerUnwrapper();
  const all: ProviderPart[] = [];
  for (const delta of pieces) {
    const parts: ProviderPart[] = [{ type: "text_delta", delta }, { type: "ping" }];
    unwrapper.apply(parts);
    all.push(...parts);
  }
  const end: ProviderPart[] = [{ type: "text_end" }, { type: "finish", reason: "stop" }];
  unwrapper.apply(end);
  return [...all, ...end].map((part) => (part.type === "text_delta" ? part.delta : "")).join("");
}

const pieces = fc.array(fc.nat(400), { maxLength: 8 });

function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

test("a wrapped answer is the value in it, however it is cut", () => {
  fc.assert(
    fc.property(fc.jsonValue(), pieces, fc.constantFrom(0, 2), (answer, places, space) => {
      const text = JSON.stringify({ answer }, undefined, space);

      expect(JSON.parse(read(cut(text, places)))).toEqual(JSON.parse(JSON.stringify(answer)));
    }),
  );
});

test("anything else stays as it is, however it is cut", () => {
  const other = fc.oneof(fc.string(), fc.json()).filter((text) => !text.includes('"answer"'));
  fc.assert(
    fc.property(other, pieces, (text, places) => {
      expect(read(cut(text, places))).toBe(text);
    }),
  );
});

test("each text of a reply is looked at by itself", () => {
  const parts: ProviderPart[] = [
    { type: "text_delta", delta: "Thinking aloud" },
    { type: "text_end" },
    { type: "text_delta", delta: '{"answer":1' },
    { type: "text_delta", delta: "}\n" },
    { type: "toolcall_start", index: 0, name: "t" },
    { type: "text_delta", delta: '{"answer":' },
    { type: "finish", reason: "length" },
  ];

  new AnswerUnwrapper().apply(parts);

  expect(parts).toEqual([
    { type: "text_delta", delta: "Thinking aloud" },
    { type: "text_end" },
    { type: "text_delta", delta: "1" },
    { type: "toolcall_start", index: 0, name: "t" },
    { type: "finish", reason: "length" },
  ]);
});

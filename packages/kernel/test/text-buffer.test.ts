import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TextBuffer } from "../src/reply/text-buffer.ts";

function appendAll(buffer: TextBuffer, deltas: readonly string[]): TextBuffer {
  for (const delta of deltas) buffer.append(delta);
  return buffer;
}

test("nothing appended is an empty text", () => {
  expect(new TextBuffer().toString()).toBe("");
});

test.each([1, 63, 64, 65, 511, 512, 513, 575, 576, 577, 20_000])(
  "%i deltas are one text in their order",
  (count) => {
    const deltas = Array.from({ length: count }, (_, at) => `${at} `);

    expect(appendAll(new TextBuffer(), deltas).toString()).toBe(deltas.join(""));
  },
);

test("reading in between, at any point and any number of times, changes nothing", () => {
  const anyDeltas = fc.array(fc.string({ maxLength: 3 }), { maxLength: 1_500, size: "max" });
  fc.assert(
    fc.property(anyDeltas, fc.nat({ max: 1_500 }), (deltas, at) => {
      const buffer = appendAll(new TextBuffer(), deltas.slice(0, at));

      const before = [buffer.toString(), buffer.toString()];
      appendAll(buffer, deltas.slice(at));

      expect(before).toEqual([deltas.slice(0, at).join(""), deltas.slice(0, at).join("")]);
      expect(buffer.toString()).toBe(deltas.join(""));
    }),
    { numRuns: 50 },
  );
});

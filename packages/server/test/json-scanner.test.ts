/** What is counted while a body comes in is what the body has once it is parsed. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonScanner } from "../src/guard/json-scanner.ts";

interface Counted {
  readonly depth: number;
  readonly values: number;
}

function countOf(value: unknown): Counted {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(countOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

/** Whether a text in pieces of this size passes. */
function passes(text: string, { depth, values }: Counted, pieceBytes: number): boolean {
  const scanner = new JsonScanner({ maxJsonDepth: depth, maxJsonValues: values });
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      scanner.scan(bytes.subarray(at, at + pieceBytes));
    }
    return true;
  } catch {
    // Refused.
    return false;
  }
}

test("JSON passes with exactly its own depth and values, and not with one less of either, however it is cut", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), fc.nat(3), (value, size, space) => {
      const text = JSON.stringify(value, undefined, space);
      // Parsed again, as keys may be the same.
      const { depth, values } = countOf(JSON.parse(text));

      expect(passes(text, { depth, values }, size)).toBe(true);
      expect(passes(text, { depth, values: values - 1 }, size)).toBe(values === 1);
      expect(passes(text, { depth: depth - 1, values }, size)).toBe(depth === 0);
    }),
    { numRuns: 2_000 },
  );
});

test("a number that is longer than any is refused before it is parsed", () => {
  const limits = { depth: 9, values: 9 };

  expect(passes(`[${"9".repeat(1_001)}]`, limits, 100)).toBe(false);
  expect(passes(`["${"9".repeat(1_001)}"]`, limits, 100)).toBe(true);
});

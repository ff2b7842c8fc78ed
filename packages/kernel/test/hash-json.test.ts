import { createHash } from "node:crypto";
import { hashJson } from "@capstan/kernel";
import type { JsonValue } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Not by sorting and `JSON.stringify`: an object puts keys that look like integers first, whatever their order. */
function canonical(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}

function reversed(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

test.each<readonly [string, JsonValue]>([
  ["", ""],
  ["null", null],
  ["a number", 12.5],
  ["a list", [1, "two", null, [true]]],
  ["an object", { a: 1, b: { c: [] } }],
  ["text beyond ASCII", "Grüße, 世界 👋"],
  ["half of a pair of surrogates", "\uD83D"],
])("the hash of %s is the SHA-256 of its JSON", (_, value) => {
  expect(hashJson(value)).toBe(sha256(JSON.stringify(value)));
});

test("the hash of any value is the SHA-256 of its JSON with sorted keys", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(hashJson(value)).toBe(sha256(canonical(value)));
    }),
  );
});

test("texts of every length around the blocks of the algorithm are hashed right", () => {
  const texts = Array.from({ length: 200 }, (_, length) => "x".repeat(length));

  const hashes = texts.map(hashJson);

  expect(hashes).toEqual(texts.map((text) => sha256(JSON.stringify(text))));
});

test("a text of a megabyte is hashed right", () => {
  const text = "0123456789".repeat(100_000);

  expect(hashJson(text)).toBe(sha256(JSON.stringify(text)));
});

test("the order of keys makes no difference", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(hashJson(reversed(value))).toBe(hashJson(value));
    }),
  );
});

test("what is stored and read back has the same hash", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(hashJson(JSON.parse(JSON.stringify(value)) as JsonValue)).toBe(hashJson(value));
    }),
  );
});

test("a field that JSON leaves out makes no difference", () => {
  const value = { a: 1, b: undefined } as unknown as JsonValue;

  expect(hashJson(value)).toBe(hashJson({ a: 1 }));
});

test.each<readonly [JsonValue, JsonValue]>([
  [1, "1"],
  [
    [1, 2],
    [2, 1],
  ],
  [["a"], "a"],
  [{ a: null }, {}],
  [{ a: { b: 1 } }, { a: {}, b: 1 }],
])("%j and %j have different hashes", (one, other) => {
  expect(hashJson(one)).not.toBe(hashJson(other));
});

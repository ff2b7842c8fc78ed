import { JsonValueSchema } from "@capstan/core/schemas";
import { expect, test } from "vitest";
import { maxJsonLevels } from "../../src/schemas/json-value.ts";

function nested(levels: number): unknown {
  return JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
}

class Money {
  readonly cents = 5;
}

const loop: { self?: unknown } = {};
loop.self = loop;

test.each([
  ["undefined", undefined, "undefined"],
  ["a function", () => 1, "function"],
  ["a symbol", Symbol("s"), "symbol"],
  ["a bigint", 1n, "bigint"],
  ["NaN", Number.NaN, "NaN"],
  ["Infinity", -Infinity, "-Infinity"],
  ["a date", new Date(0), "Date"],
  ["a map", new Map(), "Map"],
  ["a boxed string", Object("text"), "String"],
  ["an instance of a class", new Money(), "Money"],
  ["an error", new Error("no"), "Error"],
  ["a buffer", new Uint8Array(1), "Uint8Array"],
  ["an object with a prototype of its own", Object.create({ admin: true }), "Object"],
])("%s is refused, alone and wherever it stands", (_, value, received) => {
  const alone = JsonValueSchema.safeParse(value).error?.issues;
  const inside = JsonValueSchema.safeParse({ a: [0, { b: value }] }).error?.issues;

  const message = `Invalid input: expected JSON, received ${received}`;
  expect(alone).toMatchObject([{ path: [], message }]);
  expect(inside).toMatchObject([{ path: ["a", 1, "b"], message }]);
});

test("a hole in a list is refused", () => {
  const holes: unknown[] = [];
  holes[2] = 1;

  expect(JsonValueSchema.safeParse(holes).error?.issues[0]?.path).toEqual([0]);
});

test("a value is taken down to the last level that is allowed, and refused below it", () => {
  expect(JsonValueSchema.safeParse(nested(maxJsonLevels)).success).toBe(true);
  expect(JsonValueSchema.safeParse(nested(maxJsonLevels + 1)).success).toBe(false);
});

test.each([
  ["ten thousand levels", nested(10_000)],
  ["a million levels", nested(1_000_000)],
  ["an object that contains itself", loop],
])("%s: refused with a reason, not with an exhausted stack", (_, value) => {
  const { error } = JsonValueSchema.safeParse({ a: value });

  expect(error?.issues).toMatchObject([
    { path: [], message: "Invalid input: expected JSON of at most 500 levels" },
  ]);
});

test("a __proto__ key of JSON stays a key, and no prototype changes", () => {
  const read: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":1}}');

  const parsed = JsonValueSchema.parse(read);

  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.keys(parsed as object)).toEqual(["__proto__", "constructor"]);
  expect("isAdmin" in (parsed as object)).toBe(false);
  expect("isAdmin" in {}).toBe(false);
});

test("the value itself is passed on, not a copy", () => {
  const value = { a: [1] };

  expect(JsonValueSchema.parse(value)).toBe(value);
});

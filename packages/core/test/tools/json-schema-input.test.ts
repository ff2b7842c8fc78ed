import type { JsonSchema, JsonValue } from "@capstan/kernel";
import { defineTool } from "@capstan/core";
import { expect, test } from "vitest";

/** What is wrong with a value, as texts; for one that passes, that nothing was changed. */
async function issuesOf(schema: JsonSchema, input: JsonValue): Promise<string[]> {
  const tool = defineTool({
    name: "t",
    description: "A tool",
    input: { type: "object", ...schema },
  });
  const parsed = await tool.parseInput?.(input);
  if (parsed?.issues === undefined) {
    expect(parsed?.value).toBe(input);
    return [];
  }
  return parsed.issues.map(({ message, path = [] }) => [...path.map(String), message].join(" "));
}

/** For a schema that the linter takes for a promise. */
function parseSchema(text: string): JsonSchema {
  return JSON.parse(text) as JsonSchema;
}

const order: JsonSchema = {
  properties: {
    id: { type: "integer", minimum: 1 },
    size: { enum: ["S", "M", "L"] },
    note: { type: ["string", "null"], maxLength: 3 },
    lines: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { sku: { type: "string", pattern: "^[A-Z]+$" }, count: { type: "number" } },
        required: ["sku"],
        additionalProperties: false,
      },
    },
    at: { type: "string", format: "date-time" },
  },
  required: ["id", "lines"],
};

test("what fits passes as it is: no default is filled in, no key is moved or dropped", async () => {
  const schema = { properties: { a: { default: 5 }, b: {} }, required: ["b"] };

  expect(await issuesOf(schema, { more: 1, b: 2 })).toEqual([]);
  expect(await issuesOf(order, { lines: [{ sku: "A" }], id: 1, note: null })).toEqual([]);
});

test("every problem is told, with its place", async () => {
  const input = {
    size: "XL",
    note: "long",
    lines: [{ sku: "a", cuont: 2 }, {}],
    at: 5,
  };

  expect(await issuesOf(order, input)).toEqual([
    'size must be one of "S", "M", "L"',
    "note must have at most 3 characters",
    "lines 0 sku must match ^[A-Z]+$",
    "lines 0 cuont unknown property; known properties: sku, count",
    "lines 1 sku is required",
    "at expected string, got integer",
    "id is required",
  ]);
});

test.each<[string, JsonSchema, JsonValue, string]>([
  ["a required name that no property has", { required: ["z"] }, {}, "z is required"],
  [
    "a bound without a type",
    { properties: { n: { minimum: 3 } } },
    { n: 1 },
    "n must be at least 3",
  ],
  [
    "an object in an enum",
    { properties: { e: { enum: [{ a: 1, b: 2 }] } } },
    { e: {} },
    'e must be {"a":1,"b":2}',
  ],
  [
    "keywords beside a reference",
    { $defs: { s: { type: "string" } }, properties: { a: { $ref: "#/$defs/s", minLength: 2 } } },
    { a: "x" },
    "a must have at least 2 characters",
  ],
  [
    "definitions of older drafts",
    { definitions: { s: { type: "string" } }, properties: { a: { $ref: "#/definitions/s" } } },
    { a: 1 },
    "a expected string, got integer",
  ],
  [
    "a schema that refers to itself",
    { properties: { next: { $ref: "#" } }, additionalProperties: false },
    { next: { next: { x: 1 } } },
    "next next x unknown property; known properties: next",
  ],
  [
    "alternatives of what is required",
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    "matches no alternative: a is required; or b is required",
  ],
  [
    "exactly one alternative",
    { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 1 },
    "matches 2 alternatives, must match exactly one",
  ],
  [
    "an exclusion",
    { properties: { a: { not: { const: 0 } } } },
    { a: 0 },
    "a has an excluded value",
  ],
  [
    "a condition",
    parseSchema('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'),
    { a: 1 },
    "b is required",
  ],
  ["a required companion", { dependentRequired: { a: ["b"] } }, { a: 1 }, "b is required"],
  [
    "the type of further properties",
    { additionalProperties: { type: "number" } },
    { a: "x" },
    "a expected number, got string",
  ],
  [
    "the names of properties",
    { propertyNames: { maxLength: 1 } },
    { ab: 1 },
    "ab must have at most 1 characters",
  ],
  [
    "a tuple",
    { properties: { p: { prefixItems: [{}, { type: "null" }], items: false } } },
    { p: [1, null, 2] },
    "p 2 is not allowed",
  ],
  [
    "items that must differ",
    { properties: { p: { uniqueItems: true } } },
    {
      p: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    "p has duplicate items",
  ],
  [
    "a multiple that floats",
    { properties: { p: { multipleOf: 0.1 } } },
    { p: 0.35 },
    "p must be a multiple of 0.1",
  ],
  ["a value that is no object", {}, "text", "expected object, got string"],
])("%s is checked", async (_, schema, input, issue) => {
  expect(await issuesOf(schema, input)).toEqual([issue]);
});

test("a hundred multiples of a tenth are multiples of it", async () => {
  const schema = { properties: { p: { items: { multipleOf: 0.1 } } } };

  expect(await issuesOf(schema, { p: Array.from({ length: 100 }, (_, n) => n * 0.1) })).toEqual([]);
});

test("a key named __proto__ is a key like others", async () => {
  const input = JSON.parse('{"__proto__": 1}') as JsonValue;

  expect(await issuesOf({ additionalProperties: false }, input)).toEqual([
    "__proto__ unknown property; none is allowed",
  ]);
  expect(await issuesOf({ required: ["toString"] }, {})).toEqual(["toString is required"]);
});

test("length is counted in characters", async () => {
  expect(await issuesOf({ properties: { a: { maxLength: 1 } } }, { a: "😀" })).toEqual([]);
});

test("an input that the check itself cannot bear is refused, and nothing is thrown", async () => {
  const [issue] = await issuesOf({ allOf: [{ $ref: "#" }] }, {});

  expect(issue).toContain("the input cannot be checked");
});

test("whoever changes the schema afterwards does not change the check", async () => {
  const properties: Record<string, JsonSchema> = { a: { type: "string" } };
  const tool = defineTool({
    name: "t",
    description: "A tool",
    input: { type: "object", properties },
  });

  delete properties["a"];

  expect(await tool.parseInput?.({ a: 1 })).toHaveProperty("issues");
});

test.each<[string, JsonSchema, string]>([
  ["no object at the top", { type: "array" }, 'is of type "array" at the top'],
  ["no type at the top", { type: undefined }, "has no type at the top"],
  [
    "an unknown type",
    { properties: { a: { type: "text" } } },
    'at /properties/a/type: unknown type "text"',
  ],
  [
    "a flag where names belong",
    { properties: { a: { required: true } } },
    "at /properties/a/required: it must be a list of strings",
  ],
  [
    "the bounds of draft 4",
    { properties: { a: { exclusiveMinimum: true } } },
    "it must be a number",
  ],
  [
    "a pattern that is none",
    { properties: { a: { pattern: "(" } } },
    '"(" is not a regular expression',
  ],
  [
    "a reference to elsewhere",
    { properties: { a: { $ref: "other.json" } } },
    "other.json is not in this schema",
  ],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/b" } } }, "#/$defs/b is missing"],
  ["a reference that is no URI", { properties: { a: { $ref: "#/%" } } }, "#/% is missing"],
  [
    "a keyword that cannot be checked",
    { unevaluatedProperties: false },
    "at /unevaluatedProperties: this keyword is not supported",
  ],
  [
    "a schema that is a number",
    { properties: { a: 5 } },
    "at /properties/a: a schema must be an object",
  ],
])("a JSON Schema with %s is refused when the tool is defined", (_, schema, message) => {
  const input: JsonSchema = { type: "object", ...schema };

  expect(() => defineTool({ name: "t", description: "A tool", input })).toThrow(message);
  expect(() => defineTool({ name: "t", description: "A tool", input })).toThrow('Tool "t"');
});

import type { JsonSchema } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toStrictSchema } from "../../src/projection/openai-strict-schema.ts";
import { planOutput } from "../../src/projection/wrapped-output.ts";

function objectOf(a: unknown): JsonSchema {
  return { type: "object", properties: { a }, required: ["a"], additionalProperties: false };
}

function nested(depth: number): unknown {
  return depth === 0 ? { type: "string" } : objectOf(nested(depth - 1));
}

function jsonOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return json;
}

describe("a model is held strictly to", () => {
  test.each<[string, unknown]>([
    ["a number in bounds", { type: "integer", minimum: 1, maximum: 5 }],
    ["a date", { type: "string", format: "date" }],
    ["what may be null", { type: ["string", "null"] }],
    ["one of two", { anyOf: [{ type: "string" }, objectOf({ const: 1 })] }],
    ["a list", { type: "array", items: objectOf({ enum: [1, 2] }), minItems: 1 }],
    ["a value that looks like a schema", { const: { oneOf: [1, 2] } }],
    ["objects within objects, ten deep", nested(9)],
  ])("%s", (_, schema) => {
    expect(toStrictSchema(objectOf(schema))).toEqual(objectOf(schema));
  });

  test("alternatives that exclude each other, as alternatives", () => {
    const one = objectOf({ oneOf: [{ type: "string" }, { type: "number" }] });

    expect(toStrictSchema(one)).toEqual(
      objectOf({ anyOf: [{ type: "string" }, { type: "number" }] }),
    );
  });
});

test.each<[string, unknown]>([
  ["an object that is open", { type: "object", properties: {} }],
  ["a property that may be left out", { ...objectOf({ type: "string" }), required: [] }],
  ["a default", { type: "string", default: "x" }],
  ["anything", {}],
  ["a URL", { type: "string", format: "uri" }],
  ["the length of a text", { type: "string", minLength: 1 }],
  ["a pattern that looks ahead", { type: "string", pattern: "^(?!a)" }],
  ["a tuple", { type: "array", prefixItems: [{ type: "string" }], items: false }],
  ["keys of any name", { type: "object", additionalProperties: { type: "string" } }],
  ["objects within objects, eleven deep", nested(10)],
])("strict mode has no word for %s", (_, schema) => {
  expect(toStrictSchema(objectOf(schema))).toBeUndefined();
});

test("strict mode has no word for what a definition cannot be said in", () => {
  const schema = { ...objectOf({ $ref: "#/$defs/open" }), $defs: { open: { type: "object" } } };

  expect(toStrictSchema(schema)).toBeUndefined();
});

test("an object that is one of several is wrapped, as a choice may not stand at the top", () => {
  const schema = { type: "object", anyOf: [objectOf({ const: 1 }), objectOf({ const: 2 })] };

  expect(planOutput({ name: "answer", schema })).toMatchObject({
    isWrapped: true,
    schema: { properties: { answer: schema } },
  });
});

describe("a wrapped schema", () => {
  test("keeps its definitions where references find them", () => {
    const tree: z.ZodType = z.strictObject({
      get kids() {
        return z.array(tree);
      },
    });

    const { schema, strict, isWrapped } = planOutput({
      name: "answer",
      schema: jsonOf(z.array(tree)),
    });

    expect({ strict, isWrapped }).toEqual({ strict: true, isWrapped: true });
    expect(schema).toMatchObject({
      properties: { answer: { type: "array", items: { $ref: "#/$defs/__schema0" } } },
      $defs: { __schema0: { type: "object" } },
    });
  });

  test("that contains itself is referred to by a name", () => {
    const schema = { type: "array", items: { $ref: "#" } };

    expect(planOutput({ name: "answer", schema }).schema).toMatchObject({
      properties: { answer: { $ref: "#/$defs/answer" } },
      $defs: { answer: { type: "array", items: { $ref: "#/$defs/answer" } } },
    });
  });
});

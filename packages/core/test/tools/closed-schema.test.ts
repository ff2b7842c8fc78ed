import { expect, test } from "vitest";
import { z } from "zod";
import { closeSchemaOf } from "../../src/tools/closed-schema.ts";

function shown(schema: z.ZodType, vendor = "zod"): unknown {
  const { $schema: _, ...json } = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return closeSchemaOf(vendor, json);
}

function part(name: string): object {
  return { type: "object", properties: { [name]: {} } };
}

const closed = { additionalProperties: false };

test("objects of zod are closed at every depth", () => {
  const schema = z.object({
    list: z.array(z.object({ a: z.number() })),
    either: z.union([z.object({ b: z.string() }), z.null()]),
  });

  expect(shown(schema)).toMatchObject({
    ...closed,
    properties: { list: { items: closed }, either: { anyOf: [closed, { type: "null" }] } },
  });
});

test("objects that keep further properties stay open", () => {
  expect(shown(z.looseObject({ a: z.number() }))).not.toMatchObject(closed);
  expect(shown(z.record(z.string(), z.number()))).toMatchObject({
    additionalProperties: { type: "number" },
  });
  expect(shown(z.object({}).catchall(z.string()))).toMatchObject({
    additionalProperties: { type: "string" },
  });
});

test("the parts of an intersection stay open, as each has to let the other's properties pass", () => {
  const schema = { type: "object", properties: { both: { allOf: [part("a"), part("b")] } } };

  expect(closeSchemaOf("zod", schema)).toBe(schema);
  expect(shown(z.object({ a: z.string().regex(/a/).regex(/b/) }))).toMatchObject(closed);
});

test("schemas of other libraries stay as they are", () => {
  expect(shown(z.object({ a: z.number() }), "valibot")).not.toMatchObject(closed);
});

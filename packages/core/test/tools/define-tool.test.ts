import type { InputSchema, StandardSchema } from "@capstan/core";
import { ToolError, defineTool } from "@capstan/core";
import { expect, test } from "vitest";
import { z } from "zod";

const base = { name: "weather", description: "Weather of a city" } as const;

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

/** A schema of a library that nobody knows. It counts how often its JSON Schema is made. */
function foreignSchema(shown: Record<string, unknown> = { type: "object" }): {
  readonly schema: StandardSchema<unknown, { readonly city: string }>;
  readonly conversions: () => number;
} {
  let conversions = 0;
  return {
    schema: {
      "~standard": {
        version: 1,
        vendor: "foreign",
        validate: (value) => ({ value: value as { city: string } }),
        jsonSchema: {
          input: () => {
            conversions += 1;
            return shown;
          },
        },
      },
    },
    conversions: () => conversions,
  };
}

test("the model sees the JSON Schema of what it has to send, not of what the tool gets", () => {
  const tool = defineTool({
    ...base,
    input: z.object({
      city: z.string().describe("Name of the city"),
      days: z.number().int().default(3),
      day: z.string().transform((text) => new Date(text)),
      unit: z.enum(["C", "F"]).optional(),
    }),
  });

  expect(tool.inputSchema).toEqual({
    type: "object",
    properties: {
      city: { type: "string", description: "Name of the city" },
      days: { type: "integer", default: 3, minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 },
      day: { type: "string" },
      unit: { type: "string", enum: ["C", "F"] },
    },
    required: ["city", "day"],
    additionalProperties: false,
  });
});

test("a schema of any library will do, if it speaks Standard Schema and gives JSON Schema", async () => {
  const { schema } = foreignSchema({ $schema: "any", type: "object", properties: { city: {} } });

  const tool = defineTool({ ...base, input: schema });

  expect(tool.inputSchema).toEqual({ type: "object", properties: { city: {} } });
  expect(await tool.parseInput?.({ city: "Oslo" })).toEqual({ value: { city: "Oslo" } });
});

test("a schema that is a function will do, too", () => {
  const { schema } = foreignSchema();

  const tool = defineTool({ ...base, input: Object.assign(() => {}, schema) });

  expect(tool.inputSchema).toEqual({ type: "object" });
});

test("the JSON Schema is made at the first read and never again", () => {
  const { schema, conversions } = foreignSchema();
  const tool = defineTool({ ...base, input: schema });
  const before = conversions();

  const reads = [tool.inputSchema, tool.inputSchema, { ...tool }.inputSchema];

  expect([before, conversions()]).toEqual([0, 1]);
  expect(new Set(reads).size).toBe(1);
});

test("a JSON Schema is shown as it is, without the name of its draft", () => {
  const input = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { city: { type: "string" } },
  };

  const tool = defineTool({ ...base, input });

  expect(tool.inputSchema).toEqual({ type: "object", properties: { city: { type: "string" } } });
});

test("as JSON a tool is its declaration, so that it is remote wherever it is sent", () => {
  const tool = defineTool({ ...base, input: z.object({}), execute: () => "sunny" });

  expect(JSON.parse(JSON.stringify(tool))).toEqual({
    ...base,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
  });
});

test("options are carried to the kernel, and ephemeral to the context layer", () => {
  const options = {
    label: "Weather",
    effect: "idempotent",
    execution: "sequential",
    timeoutMs: 5_000,
    answerWithinMs: 60_000,
    needsApproval: true,
    ephemeral: 2,
  } as const;

  const tool = defineTool({ ...base, input: { type: "object" }, ...options, terminate: true });

  expect(tool).toMatchObject({ ...options, isTerminal: true });
});

test("a tool without execute has none, not even an empty one", () => {
  const tool = defineTool({ ...base, input: { type: "object" } });

  expect("execute" in tool).toBe(false);
});

test.each([
  ["an empty name", { name: "" }, 'Tool "": its name must be 1 to 64 letters'],
  ["a name with a space", { name: "the weather" }, 'Tool "the weather": its name'],
  ["a name of 65 letters", { name: "a".repeat(65) }, "its name"],
  ["a blank description", { description: " " }, 'Tool "weather": it needs a description'],
  ["a timeout of 0", { timeoutMs: 0 }, "timeoutMs must be above 0, not 0"],
  ["an answer time of NaN", { answerWithinMs: Number.NaN }, "answerWithinMs must be above 0"],
  ["half an output to keep", { ephemeral: 0.5 }, "ephemeral must be a whole number above 0"],
])("%s is refused when the tool is defined", (_, options, message) => {
  const error = errorOf(() => defineTool({ ...base, input: { type: "object" }, ...options }));

  expect(error).toBeInstanceOf(ToolError);
  expect(error).toMatchObject({ code: "invalid_definition" });
  expect(String(error)).toContain(message);
});

test.each<[string, InputSchema, string]>([
  ["a string", z.string(), 'is of type "string" at the top'],
  ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), "has no type"],
  ["a type without JSON Schema", z.object({ at: z.date() }), "Date cannot be represented"],
])("%s as input is refused when it is to be shown, by the tool's name", (_, input, message) => {
  const tool = defineTool({ ...base, input });

  const error = errorOf(() => tool.inputSchema);

  expect(error).toBeInstanceOf(ToolError);
  expect(error).toMatchObject({ code: "invalid_schema", toolName: "weather" });
  expect(String(error)).toContain(message);
});

test("a schema that gives no JSON Schema is refused with what to do about it", () => {
  const { schema } = foreignSchema();
  const { jsonSchema: _, ...standard } = schema["~standard"];
  // A library without the converter: the types refuse it as well.
  const input = { "~standard": standard } as unknown as StandardSchema;

  const error = errorOf(() => defineTool({ ...base, input }));

  expect(error).toMatchObject({ code: "invalid_schema", toolName: "weather" });
  expect(String(error)).toContain("Standard JSON Schema converter");
});

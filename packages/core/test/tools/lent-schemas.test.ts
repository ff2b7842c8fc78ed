/** Schemas of lent tools come from outside: checking by them must end. */
import { callTool, say } from "@capstan/testing";
import type { AnyTool } from "@capstan/core";
import type { JsonSchema, JsonValue } from "@capstan/kernel";
import { expect, test } from "vitest";
import { createWorld } from "../world.ts";

/** What becomes of a call of a lent tool: it waits, or the model reads why not. */
async function callLent(inputSchema: JsonSchema, input: JsonValue) {
  const world = createWorld([callTool("pick", input), say("I see")]);
  const tool: AnyTool = { name: "pick", description: "Picks", inputSchema };
  const session = world.host().createSession({ agent: "helper", config: { tools: [tool] } });
  const { pendingToolCalls } = await session.send("Hello").response;
  return { waits: pendingToolCalls !== undefined, last: session.messages.at(2), world, session };
}

test("a pattern is shown to the model and not checked: it could take for ever", async () => {
  const name = { type: "string", pattern: "^(a+)+$" };
  const inputSchema = { type: "object", properties: { name }, required: ["name"] };

  const found = await callLent(inputSchema, { name: `${"a".repeat(80)}!` });

  expect(found.waits).toBe(true);
  expect(found.session.config.tools).toMatchObject([{ inputSchema }]);
});

test("all the rest is checked, also beside a pattern, and properties may be called pattern", async () => {
  const properties = { pattern: { type: "number" }, name: { type: "string", pattern: "x" } };
  const inputSchema = { type: "object", properties, additionalProperties: false };

  const wrong = await callLent(inputSchema, { pattern: "text", name: 1, other: 2 });
  const right = await callLent(inputSchema, { pattern: 1, name: "y" });

  expect(right.waits).toBe(true);
  expect(wrong.waits).toBe(false);
  expect(wrong.last).toMatchObject({
    isError: true,
    content: expect.stringMatching(/pattern.*name.*other/s),
  });
});

test("names that only a pattern would allow are allowed, and data that looks like one is data", async () => {
  const inputSchema = {
    type: "object",
    patternProperties: { "^x": { type: "number" } },
    additionalProperties: false,
    properties: { fixed: { const: { pattern: "a" } } },
  };

  const found = await callLent(inputSchema, { xx: 1, fixed: { pattern: "a" } });
  const other = await callLent(inputSchema, { fixed: {} });

  expect(found.waits).toBe(true);
  expect(other.waits).toBe(false);
});

const both = (n: number): JsonSchema => ({
  allOf: [{ $ref: `#/$defs/l${n}` }, { $ref: `#/$defs/l${n}` }],
});

test("references that double at every level are followed so many times and no more", async () => {
  const levels = Array.from({ length: 60 }, (_, n) => [`l${n}`, both(n + 1)]);
  const $defs = { ...(Object.fromEntries(levels) as object), l60: {} };
  const inputSchema = { type: "object", properties: { deep: { $ref: "#/$defs/l0" } }, $defs };

  const found = await callLent(inputSchema, { deep: 1 });

  expect(found.waits).toBe(false);
  expect(found.last).toMatchObject({ content: expect.stringContaining("references") });
});

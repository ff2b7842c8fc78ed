import { expect, test } from "vitest";
import { createToolset, readOnlyTools } from "@capstan/toolset";

test("all tools, with what a second run may do and whether they run alone", () => {
  const tools = createToolset().map(({ name, effect, execution = "parallel" }) => [
    name,
    effect,
    execution,
  ]);

  expect(tools).toEqual([
    ["ls", "pure", "parallel"],
    ["read", "pure", "parallel"],
    ["glob", "pure", "parallel"],
    ["grep", "pure", "parallel"],
    ["write", "idempotent", "sequential"],
    ["edit", "at-most-once", "sequential"],
    ["bash", "at-most-once", "sequential"],
    ["bash_output", "pure", "parallel"],
    ["bash_kill", "idempotent", "parallel"],
    ["write_todos", "pure", "sequential"],
  ]);
});

test("a choice has the same order, however it is written", () => {
  const names = createToolset({ tools: ["grep", "ls"] }).map(({ name }) => name);

  expect(names).toEqual(["ls", "grep"]);
});

test("the ones that only look change nothing", () => {
  const effects = createToolset({ tools: readOnlyTools }).map(({ effect }) => effect);

  expect(new Set(effects)).toEqual(new Set(["pure"]));
});

test("every tool has a JSON Schema that a model can be shown", () => {
  const schemas = createToolset().map(({ inputSchema }) => inputSchema);

  expect(schemas.every((schema) => schema["type"] === "object")).toBe(true);
});

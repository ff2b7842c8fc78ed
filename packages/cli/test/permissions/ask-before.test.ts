import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { askBefore } from "../../src/permissions/ask-before.ts";
import { parseRule } from "../../src/permissions/rule.ts";
import { decide } from "../../src/permissions/permissions.ts";

const bash = defineTool({
  name: "bash",
  description: "Runs nothing",
  input: z.object({ command: z.string() }),
  effect: "at-most-once",
  execute: ({ command }) => `ran ${command}`,
});

test("an allowed call runs, and every other one waits for an approval", async () => {
  const permissions = {
    allow: [parseRule("bash(npm test)")],
    ask: [],
    deny: [parseRule("bash(rm *)")],
  };
  const tools = askBefore([bash], (call) => decide(call, { permissions, cwd: "/", tools: [bash] }));
  const provider = scriptedProvider([
    [
      callTool("bash", { command: "npm test" }),
      callTool("bash", { command: "npm publish" }),
      callTool("bash", { command: "rm x" }),
    ],
    say("done"),
  ]);
  const session = createSession({
    agent: createAgent({ name: "a", model: { provider, id: "m" }, tools }),
  });

  const { status, pendingToolCalls } = await session.send("go").response;

  const waiting = pendingToolCalls?.map(({ kind, input }) => ({ kind, input }));
  expect(status).toBe("awaiting_tool_execution");
  expect(waiting).toEqual([
    { kind: "approval", input: { command: "npm publish" } },
    { kind: "approval", input: { command: "rm x" } },
  ]);
});

test.each([
  [true, true],
  [false, false],
  [() => true, true],
  [() => Promise.resolve(false), false],
])("a tool that asks by itself, %s, goes on to do so: %s", async (needsApproval, expected) => {
  const [asking] = askBefore([{ ...bash, needsApproval }], () => ({ type: "allow" }));

  const isAsked = typeof asking?.needsApproval === "function" && (await asking.needsApproval({}));

  expect(isAsked).toBe(expected);
});

test("all else of a tool stays as it is", () => {
  const [asking] = askBefore([bash], () => ({ type: "allow" }));

  expect(asking).toEqual({ ...bash, needsApproval: expect.any(Function) });
});

import { createAgent, createSession, defineTool, dependency } from "@capstan/core";
import { callTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Permissions } from "../../src/config/settings.ts";
import { enforceDenials, rulesHook } from "../../src/permissions/gate-calls.ts";
import type { Gate } from "../../src/permissions/gate-calls.ts";
import { decide } from "../../src/permissions/permissions.ts";
import { parseRule, withLayer } from "../../src/permissions/rule.ts";

const Runner = dependency("Runner", () => ({ run: (command: string) => `ran ${command}` }));

const bash = defineTool({
  name: "bash",
  description: "Runs nothing",
  input: z.object({ command: z.string() }),
  effect: "at-most-once",
  execute: async ({ command }, context) => (await context.get(Runner)).run(command),
});

/** Rules that a test may replace while a call waits. */
function gateOf(first: Permissions): Gate & { permissions: Permissions } {
  const gate = {
    permissions: first,
    decide: (call: Parameters<typeof decide>[0]) =>
      decide(call, { permissions: gate.permissions, cwd: "/", tools: [bash] }),
    refresh: () => Promise.resolve(),
  };
  return gate;
}

function rulesOf(allow: readonly string[], deny: readonly string[]): Permissions {
  return {
    allow: withLayer(allow.map(parseRule), "user"),
    ask: withLayer([parseRule("bash(git push *)")], "project"),
    deny: withLayer(deny.map(parseRule), "user"),
  };
}

function sessionWith(gate: Gate, commands: readonly string[]) {
  const provider = scriptedProvider([
    commands.map((command) => callTool("bash", { command })),
    say("done"),
  ]);
  const agent = createAgent({
    name: "a",
    model: { provider, id: "m" },
    tools: enforceDenials([bash], gate),
    hooks: { before: rulesHook([bash], gate) },
  });
  return { provider, session: createSession({ agent }) };
}

test("an allowed call runs, a denied one is refused, and every other one waits and says why", async () => {
  const gate = gateOf(rulesOf(["bash(npm test)"], ["bash(rm *)"]));
  const { session } = sessionWith(gate, ["npm test", "npm publish", "rm x", "git push"]);

  const { status, pendingToolCalls } = await session.send("go").response;

  const waiting = pendingToolCalls?.map(({ input, reason }) => ({ input, reason }));
  expect(status).toBe("awaiting_tool_execution");
  expect(waiting).toEqual([
    {
      input: { command: "npm publish" },
      reason: "npm publish is not allowed by a rule. To allow it: bash(npm publish).",
    },
    {
      input: { command: "git push" },
      reason:
        "The rule asks (rule: bash(git push *), in the project's settings). No other rule can allow it.",
    },
  ]);
});

test("the model is told which rule denied its call", async () => {
  const gate = gateOf(rulesOf([], ["bash(rm *)"]));
  const { session } = sessionWith(gate, ["rm x"]);

  const { messages } = await session.send("go").response;

  expect(messages.find(({ role }) => role === "tool")).toMatchObject({
    isError: true,
    content: expect.stringContaining("The user's rule bash(rm *) forbids this call"),
  });
});

test("an approval does not lift a denial that was written while the call waited", async () => {
  const gate = gateOf(rulesOf([], []));
  const { session } = sessionWith(gate, ["rm x", "ls"]);
  await session.send("go").response;

  gate.permissions = rulesOf([], ["bash(rm *)"]);
  const answers = session.pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: true,
  }));
  const { messages } = await session.send(answers).response;

  const results = messages.flatMap((message) =>
    message.role === "tool" ? [[message.isError, message.content]] : [],
  );
  expect(results).toEqual([
    [true, expect.stringContaining("forbids this call")],
    [false, "ran ls"],
  ]);
});

test("a tool that asks by itself continues to do so", async () => {
  const gate = gateOf(rulesOf(["*"], []));
  const asking = { ...bash, needsApproval: true };
  const provider = scriptedProvider([callTool("bash", { command: "ls" }), say("done")]);
  const agent = createAgent({
    name: "a",
    model: { provider, id: "m" },
    tools: enforceDenials([asking], gate),
    hooks: { before: rulesHook([asking], gate) },
  });

  const { status } = await createSession({ agent }).send("go").response;

  expect(status).toBe("awaiting_tool_execution");
});

test("tools that are not the agent's own need no rule, but can be denied", async () => {
  const lent = remoteTool({ name: "pick_file" });
  const hook = rulesHook([], gateOf(rulesOf([], [])));
  const denying = rulesHook([], gateOf(rulesOf([], ["*"])));
  const call = { toolCallId: "1", toolName: lent.name, input: {}, step: 1 };
  const context = { session: { id: "s" }, turn: { id: "t" }, app: undefined };

  const free = await hook(call, context);
  const denied = await denying(call, context);

  expect(free).toEqual({ action: "run" });
  expect(denied).toMatchObject({ action: "block" });
});

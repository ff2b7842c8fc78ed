import { agentTool, createAgent, createSession } from "@capstan/core";
import {
  callTool,
  failBefore,
  remoteTool,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

function nested(script: readonly ScriptItem[]) {
  const helper = createAgent({
    name: "researcher",
    model: scriptedProvider([...script]),
    tools: [remoteTool()],
    retry: { maxAttempts: 1 },
  });
  const model = scriptedProvider([
    [callTool("researcher", { task: "Find it" }), usage({ inputTokens: 10, outputTokens: 1 })],
    [say("Done"), usage({ inputTokens: 20, outputTokens: 2 })],
  ]);
  const tools = [agentTool(helper, { description: "Finds things" })];
  return createSession({ agent: createAgent({ model, tools }) });
}

test("its answer is the result, its words are progress, and what it uses counts", async () => {
  const session = nested([[say("Found"), usage({ inputTokens: 100, outputTokens: 10 })]]);

  const events = await Array.fromAsync(session.send("Go"));

  expect(session.messages[2]).toMatchObject({ role: "tool", content: "Found", isError: false });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_execution_delta", delta: "Found" }),
  );
  expect(session.usage).toMatchObject({ inputTokens: 130, outputTokens: 13 });
});

test("calls of its own that wait are pending in the session", async () => {
  const session = nested([callTool("remote")]);

  const response = await session.send("Go").response;

  expect(response).toMatchObject({
    status: "awaiting_tool_execution",
    pendingToolCalls: [{ toolName: "remote", via: [{ toolCallId: expect.any(String) }] }],
  });
});

test("its failure is an error result, and what it had used counts all the same", async () => {
  const session = nested([failBefore("overloaded")]);

  await session.send("Go").response;

  expect(session.messages[2]).toMatchObject({ isError: true });
  expect(session.usage).toMatchObject({ inputTokens: 30, unreportedAttempts: 1 });
});

test("an abort stops it", async () => {
  const session = nested([stall()]);
  const turn = session.send("Go");
  for await (const event of turn) if (event.type === "tool_execution_start") turn.abort();

  await expect(turn.response).resolves.toMatchObject({ status: "aborted" });
});

test("what it costs counts, and against the budget of who calls it", async () => {
  const price = { inputPerMillion: 1, outputPerMillion: 0 };
  const million = usage({ inputTokens: 1_000_000, outputTokens: 0 });
  const helper = createAgent({
    name: "researcher",
    model: { provider: scriptedProvider([[say("Found"), million]]), id: "dear", price },
    includeCost: true,
  });
  const provider = scriptedProvider([
    [callTool("researcher", { task: "Find it" }), million],
    [callTool("researcher", { task: "Again" }), million],
  ]);
  const agent = createAgent({
    model: { provider, id: "cheap", price },
    tools: [agentTool(helper, { description: "Finds things" })],
    budgets: { cost: 2 },
  });

  const session = createSession({ agent });
  const inSession = await session.send("Go").response;
  const alone = await createAgent({
    model: { provider: scriptedProvider([[say("Hi"), million]]), id: "x", price },
    includeCost: true,
  }).runTurn({ input: "Go" }).response;

  expect(inSession).toMatchObject({ finishReason: "budget-exceeded", cost: 2 });
  expect(session.totalCost).toBe(2);
  expect(alone.cost).toBe(1);
});

test.each([
  ["mode", { mode: "sideways" }, 'mode must be "awaited" or "background"'],
  ["memory", { memory: "forever" }, 'memory must be "call" or "session"'],
])("a %s that does not exist is refused", (_, options, problem) => {
  const helper = createAgent({ name: "researcher", model: scriptedProvider([]) });
  // As callers in JavaScript may pass it.
  const wrong = { description: "Finds things", ...options } as { description: string };

  expect(() => agentTool(helper, wrong)).toThrow(problem);
});

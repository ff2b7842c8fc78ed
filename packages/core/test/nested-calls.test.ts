/** Calls that a tool makes itself, through the same checks as those of the model. */
import { isDeepStrictEqual } from "node:util";
import { defineTool } from "@capstan/core";
import type { AgentInit, ToolContext, ToolEffect, ToolHooks } from "@capstan/core";
import { assertValidTranscript, callTool, echoTool, remoteTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Mortal } from "./mortal.ts";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

type Work = (context: ToolContext) => unknown;

/** A tool that works through others. */
function callingTool(work: Work, effect: ToolEffect = "idempotent", name = "outer") {
  return defineTool({
    name,
    description: "Calls others",
    input: z.object({}),
    effect,
    execute: async (_, context) => JSON.stringify((await work(context)) ?? null),
  });
}

/** Adds one, and counts how often it ran. */
function countingTool(
  settings: { readonly needsApproval?: boolean; readonly effect?: ToolEffect } = {},
  onRun: () => void = () => {},
) {
  const runs: { readonly n: number; readonly key: string }[] = [];
  const tool = defineTool({
    name: "add",
    description: "Adds one",
    input: z.object({ n: z.number() }),
    execute({ n }, { idempotencyKey }) {
      runs.push({ n, key: idempotencyKey });
      onRun();
      return String(n + 1);
    },
    ...settings,
  });
  return { tool, runs };
}

function worldOf(
  work: Work,
  tools: Parameters<typeof createWorld>[1] = [],
  settings: Partial<AgentInit> = {},
): World {
  return createWorld(
    [callTool("outer"), say("Done")],
    [callingTool(work), ...(tools ?? [])],
    settings,
  );
}

test("a tool calls another by its definition, and gets its result", async () => {
  const { tool: add, runs } = countingTool();
  const world = worldOf(async ({ call }) => (await call(add, { n: 1 })).output, [add]);
  const session = world.host().createSession({ agent: "helper" });

  const { status } = await session.send("Go").response;

  expect(status).toBe("completed");
  expect(session.messages[2]).toMatchObject({ toolName: "outer", content: '"2"' });
  expect(runs).toMatchObject([{ n: 1 }]);
  assertValidTranscript(session.messages);
});

test("the call is recorded and shown as one within the other", async () => {
  const { tool: add } = countingTool();
  const world = worldOf(({ call }) => call("add", { n: 1 }), [add]);
  const session = world.host().createSession({ agent: "helper" });
  const live: string[] = [];
  session.subscribe(({ type }) => live.push(type));

  await session.send("Go").response;

  const outer = session.messages[2]?.id ?? "";
  const nested = world.entries(session.id).filter(({ type }) => type.startsWith("nested"));
  expect(nested).toMatchObject([
    {
      type: "nested_intent",
      within: outer,
      toolCallId: `${outer}.1`,
      toolName: "add",
      input: { n: 1 },
    },
    { type: "nested_result", within: outer, toolCallId: `${outer}.1`, result: { output: "2" } },
  ]);
  expect(live.filter((type) => type.startsWith("nested"))).toEqual([
    "nested_call_start",
    "nested_call_end",
  ]);
  const shown = world.events(session.id).map(({ event }) => event);
  expect(shown).toContainEqual(
    expect.objectContaining({ type: "nested_call_end", within: outer, output: "2" }),
  );
});

test.each([
  ["input that is not valid", "add", { n: "one" }, "Not run: invalid input for"],
  ["a tool that the agent does not have", "subtract", {}, 'Unknown tool "subtract"'],
  ["a call that a hook blocks", "add", { n: 13 }, "No thirteens"],
] as const)("%s is an error result", async (_, name, input, output) => {
  const { tool: add, runs } = countingTool();
  const blocked = { action: "block", reason: "No thirteens" } as const;
  const before: ToolHooks["before"] = (sent) =>
    isDeepStrictEqual(sent.input, { n: 13 }) ? blocked : undefined;
  const world = worldOf(({ call }) => call(name, input), [add], { hooks: { before } });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Go").response;

  const content = JSON.parse(String((session.messages[2] as { content: unknown }).content));
  expect(content).toMatchObject({ isError: true, output: expect.stringContaining(output) });
  expect(runs).toEqual([]);
});

test("a call that needs an approval suspends the tool, which runs again with the answer", async () => {
  const { tool: add, runs } = countingTool({ needsApproval: true });
  const echo = echoTool();
  const starts: unknown[] = [];
  const world = worldOf(
    async ({ call, resumed }) => {
      starts.push(resumed);
      const first = await call("echo", { n: 1 });
      const second = await call(add, { n: 2 });
      return [first.output, second.output];
    },
    [add, echo],
  );
  const session = world.host().createSession({ agent: "helper" });

  const first = await session.send("Go").response;
  const [pending] = session.pendingToolCalls;
  await session.close();
  const elsewhere = await world.host().open(session.id);
  const second = await elsewhere.approve(elsewhere.pendingToolCalls[0] ?? "").response;

  expect(first.status).toBe("awaiting_tool_execution");
  expect(pending).toMatchObject({ kind: "approval", toolName: "add", input: { n: 2 } });
  expect(second.status).toBe("completed");
  // The tool ran twice, and what it called only once.
  expect(starts).toEqual([undefined, undefined]);
  expect(echo.started).toHaveLength(1);
  expect(runs).toHaveLength(1);
  expect(elsewhere.messages[2]).toMatchObject({ content: '["{\\"n\\":1}","3"]' });
  assertValidTranscript(elsewhere.messages);
});

test("a denied call is a result that the tool can read", async () => {
  const { tool: add, runs } = countingTool({ needsApproval: true });
  const world = worldOf(({ call }) => call(add, { n: 1 }), [add]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  await session.deny(session.pendingToolCalls[0] ?? "", "Too much").response;

  expect(runs).toEqual([]);
  expect(session.messages[2]).toMatchObject({
    content: expect.stringContaining("Denied: Too much"),
  });
});

test("calls side by side are asked together, and a client answers one of them", async () => {
  const { tool: add } = countingTool({ needsApproval: true });
  const pick = remoteTool({ name: "pick" });
  const world = worldOf(
    async ({ call }) => {
      const results = await Promise.all([call("pick", {}), call(add, { n: 5 })]);
      return results.map(({ output }) => output);
    },
    [add, pick],
  );
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Go").response;
  const [remote, approval] = session.pendingToolCalls;
  await session.send([{ toolCallId: remote?.toolCallId ?? "", output: "red" }]).response;
  const last = await session.approve(approval ?? "").response;

  expect(session.pendingToolCalls).toEqual([]);
  expect(last.status).toBe("completed");
  expect(session.messages[2]).toMatchObject({ content: '["red","6"]' });
});

test("a tool that must not run twice gets cannot_wait_here, and goes on", async () => {
  const { tool: add } = countingTool({ needsApproval: true });
  const outer = callingTool(
    ({ call }) => call(add, { n: 1 }).catch((thrown: { readonly code: string }) => thrown.code),
    "at-most-once",
  );
  const world = createWorld([callTool("outer"), say("Done")], [outer, add]);
  const session = world.host().createSession({ agent: "helper" });

  const { status } = await session.send("Go").response;

  expect(status).toBe("completed");
  expect(session.messages[2]).toMatchObject({ content: '"cannot_wait_here"' });
});

test.each([
  ["at-most-once", 1, "outcome is unknown"],
  ["idempotent", 2, '"2"'],
] as const)(
  "after a crash, a call that had started and is %s ran %i times in all",
  async (effect, runCount, output) => {
    const process: { current?: Mortal } = {};
    // The first process dies before the result of the nested call is known.
    const { tool: add, runs } = countingTool({ effect }, () => process.current?.die());
    const world = worldOf(async ({ call }) => (await call(add, { n: 1 })).output, [add]);
    const doomed = mortal(world.repository);
    process.current = doomed;
    const session = world
      .host({ repository: doomed.repository })
      .createSession({ agent: "helper" });
    session.send("Go");
    await world.clock.advance(0);

    const elsewhere = await world.host().open(session.id);
    await world.clock.advance(32_000);

    expect(runs).toHaveLength(runCount);
    expect(new Set(runs.map(({ key }) => key)).size).toBe(1);
    expect(elsewhere.messages[2]).toMatchObject({ content: expect.stringContaining(output) });
  },
);

test("a call with another input than the recorded one is another call", async () => {
  const { tool: add, runs } = countingTool();
  const ask = defineTool({
    name: "ask",
    description: "Asks",
    input: z.object({}),
    needsApproval: true,
    execute: () => "yes",
  });
  let n = 0;
  const world = worldOf(
    async ({ call }) => {
      n += 1;
      await call(add, { n });
      return (await call(ask, {})).output;
    },
    [add, ask],
  );
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  await session.approve(session.pendingToolCalls[0] ?? "").response;

  expect(runs.map((run) => run.n)).toEqual([1, 2]);
});

test("a tool that is called may call others, and what waits there suspends the first", async () => {
  const { tool: add, runs } = countingTool({ needsApproval: true });
  const middle = callingTool(
    async ({ call }) => (await call(add, { n: 1 })).output,
    "idempotent",
    "middle",
  );
  const world = worldOf(async ({ call }) => (await call(middle, {})).output, [middle, add]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Go").response;
  await session.approve(session.pendingToolCalls[0] ?? "").response;

  expect(runs).toHaveLength(1);
  expect(session.messages[2]).toMatchObject({ content: '"\\"2\\""' });
});

test("what a tool does not wait for ends with it, and the process goes on", async () => {
  const { tool: add } = countingTool({ needsApproval: true });
  const world = worldOf(
    ({ call }) => {
      void call(add, { n: 1 });
      return "returned first";
    },
    [add],
  );
  const session = world.host().createSession({ agent: "helper" });

  const { status } = await session.send("Go").response;

  expect(status).toBe("completed");
  expect(session.messages[2]).toMatchObject({ content: '"returned first"' });
});

test("a tool that runs alone can be called only by one that does", async () => {
  const alone = defineTool({
    name: "alone",
    description: "Runs alone",
    input: z.object({}),
    execution: "sequential",
    execute: () => "ok",
  });
  const world = worldOf(
    ({ call }) => call(alone, {}).catch((thrown: { readonly code: string }) => thrown.code),
    [alone],
  );
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Go").response;

  expect(session.messages[2]).toMatchObject({ content: '"must_be_sequential"' });
});

test("an abort stops what a tool has called", async () => {
  const stopped: boolean[] = [];
  const slow = defineTool({
    name: "slow",
    description: "Waits for its signal",
    input: z.object({}),
    execute: (_, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          stopped.push(true);
          resolve("stopped");
        });
      }),
  });
  const world = worldOf(({ call }) => call(slow, {}), [slow]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go");
  await world.clock.advance(0);

  await session.abort("enough");
  await world.clock.advance(2_000);

  expect((await turn.response).status).toBe("aborted");
  expect(stopped).toEqual([true]);
  assertValidTranscript(session.messages);
});

/** What ends a turn before the model does: stopWhen, maxSteps, budgets, a tool that says so. */
import { doneTool } from "@capstan/core";
import type { Budgets, Session } from "@capstan/core";
import { callTool, echoTool, remoteTool, reply, say, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

/** Answers all that waits, and gives the response of the turn that goes on. */
function answerAll(session: Session) {
  const answers = session.pendingToolCalls.map(({ toolCallId }) => ({
    toolCallId,
    output: "yes",
  }));
  return session.send(answers).response;
}

test.each([
  ["true means stop", true, "stop"],
  ["a text is the finish reason", "enough", "enough"],
])("stopWhen ends the turn after a step with calls: %s", async (_, answer, finishReason) => {
  const world = createWorld([callTool("echo"), say("Not asked for")], [echoTool()], {
    stopWhen: () => answer,
  });
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "completed", finishReason });
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(world.entries(session.id).at(-1)).toMatchObject({ type: "turn_ended", finishReason });
});

test("stopWhen is told what the turn has done so far, its earlier hosts included", async () => {
  const seen: [steps: number, inputTokens: number | undefined][] = [];
  const tokens = usage({ inputTokens: 10, outputTokens: 0 });
  const script = [
    reply(callTool("remote"), tokens),
    reply(callTool("remote"), tokens),
    say("Done"),
  ];
  const world = createWorld(script, [remoteTool()], {
    stopWhen: ({ steps, usage: used }) => {
      seen.push([steps, used.inputTokens]);
      return steps === 2;
    },
  });
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const elsewhere = await world.host().open(session.id);
  await answerAll(elsewhere);
  const { finishReason } = await answerAll(elsewhere);

  expect(seen).toEqual([
    [1, 10],
    [2, 20],
  ]);
  expect(finishReason).toBe("stop");
});

test("maxSteps asks for a report, which is the answer, and the next turn has its steps again", async () => {
  const script = [
    callTool("echo"),
    callTool("echo"),
    say("This was done"),
    callTool("echo"),
    say("Next"),
  ];
  const world = createWorld(script, [echoTool()], { maxSteps: 2 });
  const session = world.host().createSession({ agent: "helper" });

  const first = await session.send("Hello").response;
  const second = await session.send("Go on").response;

  expect(first).toMatchObject({
    status: "completed",
    finishReason: "max-steps",
    text: "This was done",
  });
  expect(
    session.messages.find((each) => each.role === "user" && each.source === "closing"),
  ).toMatchObject({
    content: expect.stringContaining("no steps left"),
  });
  expect(world.provider.requests[2]).toMatchObject({
    toolChoice: "none",
    tools: ["echo", "read_output"],
  });
  expect(second).toMatchObject({ finishReason: "stop", text: "Next" });
});

test("maxSteps asks with the words of the agent, or not at all", async () => {
  const world = createWorld([callTool("echo"), say("Report"), callTool("echo")], [echoTool()]);
  const asking = world.agent.with({
    name: "asking",
    maxSteps: 1,
    closing: { prompt: "Sum it up." },
  });
  const silent = world.agent.with({ name: "silent", maxSteps: 1, closing: false });
  const host = world.host({ agents: [asking, silent] });
  const asked = host.createSession({ agent: "asking" });
  const cut = host.createSession({ agent: "silent" });

  const report = await asked.send("Hello").response;
  const none = await cut.send("Hello").response;

  expect(report).toMatchObject({ finishReason: "max-steps", text: "Report" });
  expect(asked.messages.at(-2)).toMatchObject({ content: "Sum it up.", source: "closing" });
  expect(none).toMatchObject({ finishReason: "max-steps", text: "" });
  expect(cut.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

test("maxSteps counts along the turns that continue each other", async () => {
  const world = createWorld(
    [callTool("remote"), callTool("remote"), say("Report")],
    [remoteTool()],
    {
      maxSteps: 2,
    },
  );
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const elsewhere = await world.host().open(session.id);
  const second = await answerAll(elsewhere);
  const third = await answerAll(elsewhere);

  expect(second.status).toBe("awaiting_tool_execution");
  expect(third).toMatchObject({ finishReason: "max-steps", text: "Report" });
});

test("a report that its process did not live to give is given by the next", async () => {
  const world = createWorld([callTool("echo"), say("Report")], [echoTool()], { maxSteps: 1 });
  const process = mortal(world.repository);
  const host = world.host({ repository: process.repository });
  const session = host.createSession({ agent: "helper" });
  const { append } = process.repository;
  process.repository.append = (id, entries, options) => {
    const appended = append(id, entries, options);
    const isAsked = entries.some(
      (entry) => entry.type === "message" && entry.message.role === "user",
    );
    if (isAsked) process.die();
    return isAsked ? new Promise(() => {}) : appended;
  };
  session.send("Hello");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(32_000);

  expect(elsewhere.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
  ]);
  expect(world.entries(session.id).at(-1)).toMatchObject({ finishReason: "max-steps" });
});

test.each<[what: string, budgets: Budgets]>([
  ["steps", { steps: 1 }],
  ["tokens", { tokens: 110 }],
  ["time", { timeMs: 60_000 }],
])("a budget of %s is that of the whole chain of turns, in whichever host", async (_, budgets) => {
  const tokens = usage({ inputTokens: 100, outputTokens: 10 });
  const world = createWorld(
    [reply(callTool("remote"), tokens), say("Not asked for")],
    [remoteTool()],
    {
      budgets,
    },
  );
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await world.clock.advance(60_000);
  const elsewhere = await world.host().open(session.id);
  const response = await answerAll(elsewhere);

  expect(response).toMatchObject({ status: "completed", finishReason: "budget-exceeded" });
  expect(world.provider.requests).toHaveLength(1);
});

test("a budget is that of one turn: the next send begins anew", async () => {
  const world = createWorld([callTool("echo"), callTool("echo")], [echoTool()], {
    budgets: { steps: 1 },
  });
  const session = world.host().createSession({ agent: "helper" });

  const reasons = [await session.send("First").response, await session.send("Second").response];

  expect(reasons).toMatchObject([
    { finishReason: "budget-exceeded" },
    { finishReason: "budget-exceeded" },
  ]);
  expect(world.provider.requests).toHaveLength(2);
});

test("a tool that ends the turn ends it with its result", async () => {
  const world = createWorld(
    [callTool("done", { message: "All is done" }), say("Not asked for")],
    [doneTool()],
  );
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "completed", finishReason: "stop" });
  expect(session.messages.at(-1)).toMatchObject({ role: "tool", content: "All is done" });
});

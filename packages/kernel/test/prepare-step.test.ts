import type { ChatMessage, Fact, StepStart } from "@capstan/kernel";
import { callTool, echoTool, failBefore, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";

const note = (id: string): ChatMessage => ({ role: "user", id, content: `Note ${id}` });

test("each step is prepared once, with what the model would be shown", async () => {
  const provider = scriptedProvider([callTool("echo"), failBefore("overloaded"), say("Done")]);
  const starts: StepStart[] = [];

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2 } },
    context: {
      prepareStep: (start) => {
        starts.push(start);
        return undefined;
      },
    },
  });

  expect(turn.finishReason).toBe("stop");
  expect(starts.map(({ step, messages }) => [step, messages.map(({ role }) => role)])).toEqual([
    [1, ["user"]],
    [2, ["user", "assistant", "tool"]],
  ]);
});

test("provider, options and tools are changed for that step only", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  const other = scriptedProvider([callTool("echo", { n: 2 })]);

  const turn = await runToEnd({
    provider,
    providerOpts: { temperature: 1 },
    tools: [echoTool(), echoTool({ name: "second" })],
    context: {
      prepareStep: ({ step }) =>
        step === 2
          ? { provider: other, options: { temperature: 0 }, tools: [echoTool()], model: "other/m" }
          : undefined,
    },
  });

  expect(turn.finishReason).toBe("stop");
  const asked = [...provider.requests, ...other.requests];
  expect(asked.map(({ step, options, tools }) => [step, options.temperature, tools])).toEqual([
    [1, 1, ["echo", "second"]],
    [3, 1, ["echo", "second"]],
    [2, 0, ["echo"]],
  ]);
});

test("a tool that is not active in a step is unknown in it", async () => {
  const provider = scriptedProvider([callTool("second"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool(), echoTool({ name: "second" })],
    context: { prepareStep: () => ({ tools: [echoTool()] }) },
  });

  expect(turn.messages[1]).toMatchObject({
    role: "tool",
    isError: true,
    content: expect.stringContaining('Unknown tool "second"'),
  });
});

test("messages are appended for good: recorded, shown and sent before the step", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  const facts: Fact[] = [];

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    context: { prepareStep: ({ step }) => ({ messages: [note(`n${step}`)], choice: { step } }) },
    journal: { record: (batch) => void facts.push(...batch) },
  });

  expect(turn.messages.map(({ id, role }) => (role === "user" ? id : role))).toEqual([
    "n1",
    "assistant",
    "tool",
    "n2",
    "assistant",
  ]);
  expect(provider.requests[0]?.messages.at(-1)?.id).toBe("n1");
  expect(facts.filter(({ type }) => type === "step_prepared")).toEqual([
    { type: "step_prepared", step: 1, choice: { step: 1 }, messages: [note("n1")] },
    { type: "step_prepared", step: 2, choice: { step: 2 }, messages: [note("n2")] },
  ]);
  expect(facts[0]?.type).toBe("step_prepared");
  expect(problemsOf(turn)).toEqual([]);
});

test("the closing step appends nothing, and has the chosen options", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Report")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { maxSteps: 1, closing: { prompt: "Report" } },
    context: {
      prepareStep: ({ step }) => ({ messages: [note(`n${step}`)], options: { temperature: step } }),
    },
  });

  expect(turn.finishReason).toBe("max-steps");
  expect(turn.messages.map(({ id, role }) => (role === "user" ? id : role))).not.toContain("n2");
  expect(provider.requests[1]?.options).toEqual({ temperature: 2 });
});

test("a resumed turn prepares the step under way from the record, and does not append again", async () => {
  const provider = scriptedProvider([say("Done")]);
  const starts: StepStart[] = [];
  const facts: Fact[] = [];

  await runToEnd({
    provider,
    messages: [{ role: "user", id: "u1", content: "Hello" }, note("n1")],
    context: {
      prepareStep: (start) => {
        starts.push(start);
        return { messages: [note("again")], options: { temperature: 0.5 } };
      },
    },
    journal: {
      record: (batch) => void facts.push(...batch),
      prior: {
        steps: 0,
        attempts: 1,
        attemptsInStep: 1,
        usage: {},
        isResumed: true,
        prepared: { step: 1, choice: { warm: true } },
      },
    },
  });

  expect(starts).toMatchObject([{ step: 1, recorded: { warm: true } }]);
  expect(provider.requests[0]).toMatchObject({ options: { temperature: 0.5 } });
  expect(provider.requests[0]?.messages.map(({ id }) => id)).toEqual(["u1", "n1"]);
  expect(facts.map(({ type }) => type)).not.toContain("step_prepared");
});

test("open calls of a resumed step have the tools of that step", async () => {
  const provider = scriptedProvider([say("Done")]);
  const secret = echoTool({ name: "secret" });

  const turn = await runToEnd({
    provider,
    tools: [secret],
    messages: [
      { role: "user", id: "u1", content: "Hello" },
      {
        role: "assistant",
        id: "a1",
        content: [{ type: "tool_call", id: "a1_0", name: "secret", input: {} }],
        stopReason: "tool-calls",
      },
    ],
    context: { prepareStep: ({ step }) => (step === 1 ? { tools: [] } : undefined) },
    journal: {
      open: [{ toolCallId: "a1_0", state: "fresh" }],
      prior: {
        steps: 1,
        attempts: 1,
        usage: {},
        isResumed: true,
        prepared: { step: 1, choice: null },
      },
    },
  });

  expect(turn.messages[0]).toMatchObject({
    role: "tool",
    content: expect.stringContaining("Unknown tool"),
  });
});

test.each<[value: unknown, problem: string]>([
  ["model", "an object with the changes"],
  [{ messages: "Hi" }, "a list of messages"],
  [{ messages: [{ role: "user" }] }, "a list of messages"],
  [{ choice: () => 1 }, "a choice that is JSON"],
])("%o fails the turn, which asks no model", async (value, problem) => {
  const provider = scriptedProvider([]);

  // Untyped code may return anything.
  const turn = await runToEnd({ provider, context: { prepareStep: () => value as never } });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "callback_failed" } });
  expect(turn.error?.message).toContain(problem);
  expect(provider.requests).toEqual([]);
});

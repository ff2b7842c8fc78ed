import type { FinishReason, FinishedStep, TurnProgress } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failBefore,
  manualClock,
  pause,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf, rolesOf } from "./turn-problems.ts";

const closing = { prompt: "Report what you did" };

test("a turn ends after as many steps as it may take", async () => {
  const provider = scriptedProvider([callTool("echo"), callTool("echo"), say("never")]);

  const turn = await runToEnd({ provider, tools: [echoTool()], limits: { maxSteps: 2 } });

  expect(turn.finishReason).toBe("max-steps");
  expect(provider.requests).toHaveLength(2);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "assistant", "tool"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an answer in the last step that a turn may take is an answer", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({ provider, tools: [echoTool()], limits: { maxSteps: 2, closing } });

  expect(turn.finishReason).toBe("stop");
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "assistant"]);
});

test("with a closing prompt, one last step reports what was done, and may call nothing", async () => {
  const provider = scriptedProvider([callTool("echo"), say("I echoed")]);

  const turn = await runToEnd({ provider, tools: [echoTool()], limits: { maxSteps: 1, closing } });

  expect(turn.finishReason).toBe("max-steps");
  expect(turn.messages.slice(2)).toMatchObject([
    { role: "user", content: "Report what you did", source: "closing" },
    { role: "assistant", content: [{ text: "I echoed" }] },
  ]);
  expect(provider.requests[1]).toMatchObject({ toolChoice: "none", tools: ["echo"] });
  expect(provider.requests[0]?.toolChoice).toBeUndefined();
  expect(problemsOf(turn)).toEqual([]);
});

test("calls of the closing step are refused, and the turn ends all the same", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([reply(say("I did"), callTool("echo"))]);

  const turn = await runToEnd({ provider, tools: [echo], limits: { maxSteps: 0, closing } });

  expect(echo.started).toEqual([]);
  expect(turn.messages.at(-1)).toMatchObject({ role: "tool", isError: true });
  expect(turn.finishReason).toBe("max-steps");
  expect(problemsOf(turn)).toEqual([]);
});

test("a closing step that fails ends the turn with its error", async () => {
  const provider = scriptedProvider([failBefore("invalid_request")]);

  const turn = await runToEnd({ provider, limits: { maxSteps: 0, closing } });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "invalid_request" } });
  expect(problemsOf(turn)).toEqual([]);
});

test("an attempt of the closing step is made again like any other", async () => {
  const provider = scriptedProvider([failBefore("overloaded"), say("I did nothing")]);

  const turn = await runToEnd({
    provider,
    limits: { maxSteps: 0, closing, retry: { maxAttempts: 2 } },
  });

  expect(turn.finishReason).toBe("max-steps");
  expect(rolesOf(turn)).toEqual(["user", "assistant"]);
  expect(provider.requests[1]?.toolChoice).toBe("none");
});

test("an abort in the closing step is an abort", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([say(["I", " did"])]);

  const turn = await runToEnd({
    provider,
    limits: { maxSteps: 0, closing },
    signal: controller.signal,
    emit: (event) => event.type === "text_delta" && controller.abort(),
  });

  expect(turn.finishReason).toBe("aborted");
  expect(rolesOf(turn)).toEqual(["user", "assistant", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, boolean | FinishReason | Promise<boolean>, FinishReason]>([
  ["true is an ordinary stop", true, "stop"],
  ["a text is the finish reason", "enough-found", "enough-found"],
  ["a promise is waited for", Promise.resolve(true), "stop"],
])("a turn stops when its condition says so: %s", async (_, answer, finishReason) => {
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { stopWhen: () => answer },
  });

  expect(turn.finishReason).toBe(finishReason);
  expect(rolesOf(turn)).toEqual(["assistant", "tool"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("the condition is asked after each step with calls, and sees all that came of the turn", async () => {
  const seen: FinishedStep[] = [];
  const provider = scriptedProvider([callTool("echo"), callTool("echo"), say("Done")], {
    usage: { inputTokens: 5 },
  });

  await runToEnd({
    provider,
    tools: [echoTool()],
    limits: {
      stopWhen: (step) => {
        seen.push({ ...step, messages: [...step.messages] });
        return false;
      },
    },
  });

  expect(seen.map((step) => [step.steps, step.attempts, step.usage.inputTokens])).toEqual([
    [1, 1, 5],
    [2, 2, 10],
  ]);
  expect(seen.map((step) => step.messages.length)).toEqual([2, 4]);
});

test("a condition that fails ends the turn with its error", async () => {
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: {
      stopWhen: () => {
        throw new Error("cannot count");
      },
    },
  });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "callback_failed" } });
  expect(turn.error?.message).toContain("cannot count");
  expect(problemsOf(turn)).toEqual([]);
});

test("limits are checked before each request, with what was used so far", async () => {
  const seen: TurnProgress[] = [];
  const clock = manualClock(50);
  const provider = scriptedProvider([
    reply(callTool("echo"), usage({ outputTokens: 9 })),
    say("never"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    now: clock.now,
    limits: {
      checkLimits: (progress) => {
        seen.push(progress);
        return (progress.usage.outputTokens ?? 0) > 5 ? "budget-exceeded" : undefined;
      },
    },
  });

  expect(turn.finishReason).toBe("budget-exceeded");
  expect(provider.requests).toHaveLength(1);
  expect(seen).toEqual([
    { steps: 0, attempts: 0, usage: {}, startedAt: 50 },
    { steps: 1, attempts: 1, usage: { outputTokens: 9 }, startedAt: 50 },
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("limits are checked before an attempt is made again", async () => {
  const provider = scriptedProvider([failBefore("overloaded"), say("never")]);

  const turn = await runToEnd({
    provider,
    limits: {
      retry: { maxAttempts: 3 },
      checkLimits: async ({ attempts }) => (attempts > 0 ? "budget-exceeded" : undefined),
    },
  });

  expect(turn.finishReason).toBe("budget-exceeded");
  expect(provider.requests).toHaveLength(1);
  expect(problemsOf(turn)).toEqual([]);
});

test("what earlier turns of the chain used counts towards the limits", async () => {
  const seen: TurnProgress[] = [];

  const turn = await runToEnd({
    provider: scriptedProvider([say("Done")], { usage: { inputTokens: 1 } }),
    journal: { prior: { steps: 4, attempts: 6, usage: { inputTokens: 40 }, startedAt: 7 } },
    limits: { checkLimits: (progress) => void seen.push(progress) },
  });

  expect(seen).toEqual([{ steps: 4, attempts: 6, usage: { inputTokens: 40 }, startedAt: 7 }]);
  expect(turn.usage).toEqual({ inputTokens: 1 });
  expect(turn.progress).toEqual({
    steps: 5,
    attempts: 7,
    usage: { inputTokens: 41 },
    startedAt: 7,
  });
  expect(turn.recorder.ofType("step_start")).toMatchObject([{ step: 5 }]);
});

test("a pause goes on with what was said, and each leg counts as a step", async () => {
  const provider = scriptedProvider([reply(say("First"), pause()), say("second")]);

  const turn = await runToEnd({ provider });
  const limited = await runToEnd({
    provider: scriptedProvider([reply(say("First"), pause())]),
    limits: { maxSteps: 1 },
  });

  expect(rolesOf(turn)).toEqual(["assistant", "assistant"]);
  expect(provider.requests[1]?.messages.at(-1)).toEqual(turn.messages[0]);
  expect(turn.finishReason).toBe("stop");
  expect(limited.finishReason).toBe("max-steps");
  expect(problemsOf(turn)).toEqual([]);
});

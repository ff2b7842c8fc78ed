import type { OpenCall, PendingCall } from "@capstan/kernel";
import {
  echoTool,
  failBefore,
  remoteTool,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { factsOfType, keepDiary } from "./diary.ts";
import { called, historyWith, problemsAfterResume, resultsOf, resume } from "./unfinished-step.ts";

const messages = historyWith(called("k1", "echo", { n: 1 }));

const pendingRemote: PendingCall = {
  toolCallId: "k1",
  kind: "execution",
  toolName: "remote",
  input: { n: 1 },
  hash: "h1",
};

test("a fresh call runs, after the hooks were asked", async () => {
  const echo = echoTool();
  const asked: string[] = [];
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open: [{ toolCallId: "k1", state: "fresh" }] },
    dispatch: { before: ({ toolCallId }) => void asked.push(toolCallId) },
  });

  expect(asked).toEqual(["k1"]);
  expect(resultsOf(turn)).toEqual(['{"n":1}']);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a call that is not listed is fresh", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open: [] } });

  expect(echo.started).toHaveLength(1);
  expect(resultsOf(turn)).toEqual(['{"n":1}']);
});

test("an approved call runs exactly the approved input, and no hook is asked again", async () => {
  const echo = echoTool({ needsApproval: () => true });
  const asked: string[] = [];
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open: [{ toolCallId: "k1", state: "approved", input: { n: 7 } }] },
    dispatch: { before: ({ toolCallId }) => void asked.push(toolCallId) },
  });

  expect(asked).toEqual([]);
  expect(echo.started.map((call) => call.input)).toEqual([{ n: 7 }]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("an approved input that the tool does not take is an error result", async () => {
  const echo = echoTool({ parseInput: () => ({ issues: [{ message: "too many" }] }) });
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open: [{ toolCallId: "k1", state: "approved" }] },
  });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("too many")]);
});

test("a denied call is answered to the model with the reason, and does not run", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([say("I see")]);

  const turn = await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open: [{ toolCallId: "k1", state: "denied", reason: "not on a Sunday" }] },
  });

  expect(echo.started).toEqual([]);
  expect(turn.messages[0]).toMatchObject({
    isError: false,
    isDenied: true,
    content: expect.stringContaining("not on a Sunday"),
  });
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a result that came from outside is seen by the after hook, recorded and shown", async () => {
  const { facts, hooks } = keepDiary();
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [remoteTool()],
    messages: historyWith(called("k1", "remote")),
    journal: {
      open: [{ toolCallId: "k1", state: "settled", result: { isError: false, output: "picked" } }],
      ...hooks.journal,
    },
    dispatch: {
      after: (_, result) => ({ ...result, output: `seen: ${JSON.stringify(result.output)}` }),
    },
  });

  expect(resultsOf(turn)).toEqual(['seen: "picked"']);
  expect(factsOfType(facts, "tool_result")).toHaveLength(1);
  expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ output: 'seen: "picked"' }]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a result that is recorded already is neither recorded nor shown again, but told to the model", async () => {
  const { facts, hooks } = keepDiary();
  const reviewed: string[] = [];
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [echoTool()],
    messages,
    journal: {
      open: [
        {
          toolCallId: "k1",
          state: "settled",
          result: { isError: false, output: "one" },
          isRecorded: true,
        },
      ],
      ...hooks.journal,
    },
    dispatch: { after: ({ toolCallId }) => void reviewed.push(toolCallId) },
  });

  expect(reviewed).toEqual([]);
  expect(factsOfType(facts, "tool_result")).toEqual([]);
  expect(turn.recorder.ofType("tool_execution_end")).toEqual([]);
  expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", content: "one" });
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a call that still waits keeps the turn suspended, and is not announced again", async () => {
  const provider = scriptedProvider([]);
  const pending = { ...pendingRemote };

  const turn = await resume({
    provider,
    tools: [remoteTool()],
    messages: historyWith(called("k1", "remote", { n: 1 })),
    journal: { open: [{ toolCallId: "k1", state: "pending", pending }] },
  });

  expect(turn.finishReason).toBe("tool-calls");
  expect(turn.pending).toEqual([pending]);
  expect(turn.recorder.ofType("awaiting_tool_execution")).toEqual([]);
  expect(turn.open).toEqual([{ toolCallId: "k1", state: "pending", pending }]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("calls in all states are settled together, in call order", async () => {
  const echo = echoTool();
  const answer = { isError: false, output: "answered" };
  const provider = scriptedProvider([say("Done")]);
  const open: OpenCall[] = [
    { toolCallId: "k6", state: "denied" },
    { toolCallId: "k2", state: "started", key: "key-2" },
    { toolCallId: "k3", state: "approved", input: { n: 3 } },
    { toolCallId: "k4", state: "settled", result: answer },
    { toolCallId: "k5", state: "settled", result: answer, isRecorded: true },
  ];

  const turn = await resume({
    provider,
    tools: [echo],
    messages: historyWith(...["k1", "k2", "k3", "k4", "k5", "k6"].map((id) => called(id, "echo"))),
    journal: { open },
  });

  expect(resultsOf(turn)).toEqual([
    "{}",
    expect.stringContaining("outcome is unknown"),
    '{"n":3}',
    "answered",
    "answered",
    "Denied.",
  ]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("an id that no call has is ignored", async () => {
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({
    provider,
    tools: [echoTool()],
    messages,
    journal: { open: [{ toolCallId: "k9", state: "denied" }] },
  });

  expect(resultsOf(turn)).toEqual(['{"n":1}']);
});

test("a resumed turn has no second turn_start, and an answering one names the turn that it continues", async () => {
  const open: OpenCall[] = [{ toolCallId: "k1", state: "fresh" }];
  const options = { tools: [echoTool()], messages };

  const resumed = await resume({
    ...options,
    provider: scriptedProvider([say("Done")]),
    journal: { open },
  });
  const continuing = await runToEnd({
    ...options,
    provider: scriptedProvider([say("Done")]),
    turnId: "t2",
    journal: { open, continues: "t1" },
  });

  expect(resumed.recorder.types()[0]).toBe("tool_execution_start");
  expect(continuing.events[0]).toMatchObject({ type: "turn_start", continues: "t1", input: [] });
});

test("what was used before counts: steps towards maxSteps, attempts towards the retries of a step", async () => {
  const provider = scriptedProvider([failBefore("overloaded"), say("Done")]);

  const atLimit = await resume({
    provider,
    tools: [echoTool()],
    messages,
    journal: {
      open: [],
      prior: { steps: 3, attempts: 5, usage: { inputTokens: 10 }, isResumed: true },
    },
    limits: { maxSteps: 3 },
  });
  const inAttempt = await runToEnd({
    provider,
    limits: { retry: { maxAttempts: 2 } },
    journal: { prior: { steps: 0, attempts: 1, attemptsInStep: 1, usage: { inputTokens: 10 } } },
  });

  expect(atLimit.finishReason).toBe("max-steps");
  expect(atLimit.progress).toMatchObject({ steps: 3, attempts: 5, usage: { inputTokens: 10 } });
  expect(inAttempt.recorder.ofType("attempt_start")).toMatchObject([{ step: 1, attempt: 2 }]);
  expect(inAttempt.finishReason).toBe("error");
  expect(inAttempt.progress).toMatchObject({
    attempts: 2,
    usage: { inputTokens: 10, unreportedAttempts: 1 },
  });
});

test("messages that end in calls need `open`, and `open` needs messages that end in calls", async () => {
  const provider = scriptedProvider([]);

  const withoutOpen = await runToEnd({ provider, messages });
  const withoutCalls = await runToEnd({ provider, journal: { open: [] } });

  expect(withoutOpen).toMatchObject({ finishReason: "error", error: { code: "invalid_input" } });
  expect(withoutCalls).toMatchObject({ finishReason: "error", error: { code: "invalid_input" } });
  expect(withoutOpen.recorder.ofType("turn_end")).toHaveLength(1);
  expect(provider.requests).toEqual([]);
});

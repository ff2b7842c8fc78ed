import type { ChatMessage, OpenCall, PendingCall, ToolContract } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  sequentialIds,
} from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { answering, approve, pick } from "./answering.ts";
import { problemsOf } from "./turn-problems.ts";

const tools: readonly ToolContract[] = [
  remoteTool(),
  echoTool(),
  echoTool({ name: "guarded", needsApproval: true }),
];

const script: readonly ScriptItem[] = [
  reply(callTool("remote", { f: 1 }), callTool("echo", { x: 1 }), callTool("guarded", { g: 1 })),
  say("Done"),
];

/** The other side runs what is remote and approves what is guarded. */
function answerOf(call: PendingCall): OpenCall {
  return call.kind === "approval" ? approve(call) : pick(call);
}

function answerTo(call: OpenCall): OpenCall {
  return call.state === "pending" ? answerOf(call.pending) : call;
}

/** The turn that continues the suspended one, with these answers. */
function continued(
  suspended: FinishedTurn,
  { open, ...options }: RunToEndOptions & { readonly open: readonly OpenCall[] },
): Promise<FinishedTurn> {
  return runToEnd({
    tools,
    turnId: "t2",
    journal: { continues: "t1", prior: suspended.progress, open },
    messages: suspended.transcript,
    ...options,
  });
}

test("a turn that was suspended and continued leaves the messages of one whose answers were there at once", async () => {
  const atOnce = await runToEnd({
    provider: scriptedProvider(script),
    tools,
    ...answering(answerOf),
  });
  const provider = scriptedProvider(script);
  const newId = sequentialIds();

  const suspended = await runToEnd({ provider, tools, clock: { newId } });
  const open = (suspended.open ?? []).map(answerTo);
  const resumed = await continued(suspended, { provider, clock: { newId }, open });

  expect([...suspended.messages, ...resumed.messages]).toEqual(atOnce.messages);
  expect([...problemsOf(suspended), ...problemsOf(resumed)]).toEqual([]);
  provider.assertComplete();
});

test("a turn can be suspended and continued answer by answer", async () => {
  const provider = scriptedProvider(script);

  const suspended = await runToEnd({ provider, tools });
  const [first, ...others] = suspended.open ?? [];
  const partly = await continued(suspended, {
    provider,
    open: [answerTo(first as OpenCall), ...others],
  });
  const whole = await continued(partly, { provider, open: (partly.open ?? []).map(answerTo) });

  expect(suspended.pending).toHaveLength(2);
  expect(partly.pending).toHaveLength(1);
  expect(whole.messages.map((message) => message.role)).toEqual([
    "tool",
    "tool",
    "tool",
    "assistant",
  ]);
  expect(whole.finishReason).toBe("stop");
});

test("what a suspended turn hands out is plain JSON", async () => {
  const provider = scriptedProvider(script);

  const suspended = await runToEnd({ provider, tools });
  const stored = JSON.parse(JSON.stringify(suspended.open)) as OpenCall[];
  const resumed = await continued(suspended, { provider, open: stored.map(answerTo) });

  expect(stored).toEqual(suspended.open);
  expect(resumed.finishReason).toBe("stop");
});

test("a terminal result that was there before the suspension still ends the turn", async () => {
  const terminal = [remoteTool(), echoTool({ name: "done", isTerminal: true })];
  const provider = scriptedProvider([reply(callTool("done"), callTool("remote"))]);

  const suspended = await runToEnd({ provider, tools: terminal });
  const answered = (suspended.open ?? []).map((call): OpenCall =>
    call.state === "pending"
      ? {
          toolCallId: call.toolCallId,
          state: "settled",
          result: { isError: false, output: "", isTerminal: true },
        }
      : call,
  );
  const resumed = await continued(suspended, { provider, tools: terminal, open: answered });

  expect(resumed.finishReason).toBe("stop");
  expect(provider.requests).toHaveLength(1);
});

test("a turn that died between its answer and its end sends no further request, and ends", async () => {
  const provider = scriptedProvider([]);
  const answer: ChatMessage = {
    role: "assistant",
    id: "a1",
    content: [{ type: "text", text: "Done" }],
    stopReason: "stop",
  };

  const turn = await runToEnd({
    provider,
    messages: [{ role: "user", id: "u1", content: "Hello" }, answer],
    journal: { prior: { steps: 1, attempts: 1, usage: {}, isResumed: true } },
  });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages).toEqual([]);
  expect(problemsOf(turn, { isResumed: true })).toEqual([]);
});

const closing = { prompt: "Report" };
const asked: ChatMessage[] = [
  { role: "user", id: "u1", content: "Hello" },
  { role: "user", id: "m1", content: "Report", source: "closing" },
];

test("a turn that died in its closing step is not asked for its report a second time", async () => {
  const provider = scriptedProvider([say("I did")]);

  const turn = await runToEnd({
    provider,
    messages: asked,
    limits: { maxSteps: 1, closing },
    journal: { prior: { steps: 1, attempts: 2, attemptsInStep: 1, usage: {}, isResumed: true } },
  });

  expect(turn.finishReason).toBe("max-steps");
  expect(turn.messages.map((message) => message.role)).toEqual(["assistant"]);
  expect(provider.requests[0]?.toolChoice).toBe("none");
});

test("a turn that died after its closing report neither runs the calls in it nor asks again", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([]);
  const call = { type: "tool_call", id: "k1", name: "echo", input: {} } as const;

  const turn = await runToEnd({
    provider,
    tools: [echo],
    messages: [
      ...asked,
      { role: "assistant", id: "a1", content: [call], stopReason: "tool-calls" },
    ],
    journal: {
      open: [{ toolCallId: "k1", state: "fresh" }],
      prior: { steps: 2, attempts: 2, usage: {}, isResumed: true },
    },
    limits: { maxSteps: 1, closing },
  });

  expect(echo.started).toEqual([]);
  expect(turn.finishReason).toBe("max-steps");
  expect(turn.messages.map((message) => message.role)).toEqual(["tool"]);
});

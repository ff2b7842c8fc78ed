import type { AgentEvent } from "@capstan/kernel";
import {
  callTool,
  cutToolCall,
  echoTool,
  failBefore,
  hang,
  manualClock,
  parts,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  think,
} from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf, rolesOf } from "./turn-problems.ts";
import { resultsOf } from "./unfinished-step.ts";

const marker = { role: "user", content: "[interrupted by user]", source: "interruption" };

/** Aborts the turn while the first event of this type is shown. */
function abortedAt(
  type: AgentEvent["type"],
  options: RunToEndOptions,
  count = 1,
): Promise<FinishedTurn> {
  const controller = new AbortController();
  let left = count;
  return runToEnd({
    ...options,
    signal: controller.signal,
    emit: (event) => {
      if (event.type === type && --left === 0) controller.abort("enough");
    },
  });
}

test("an abort before the start asks no provider and leaves no message", async () => {
  const provider = scriptedProvider([]);

  const turn = await runToEnd({ provider, signal: AbortSignal.abort("enough") });

  expect(provider.requests).toEqual([]);
  expect(turn.messages).toEqual([]);
  expect(turn.recorder.types()).toEqual(["turn_start", "abort", "turn_end"]);
  expect(turn.usage).toEqual({});
});

test("an abort before the first part leaves no message and no marker", async () => {
  const provider = scriptedProvider([stall()]);

  const turn = await abortedAt("message_start", { provider });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort in the middle of a text keeps it, and a marker follows", async () => {
  const provider = scriptedProvider([reply(say(["Hel", "lo"]), stall())]);

  const turn = await abortedAt("text_delta", { provider });

  expect(turn.messages).toMatchObject([
    { stopReason: "aborted", content: [{ type: "text", text: "Hel" }] },
    marker,
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort ends the stream and tells the provider", async () => {
  const provider = scriptedProvider([reply(say("Hel"), stall())]);

  await abortedAt("text_delta", { provider });
  await manualClock().advance(0);

  expect(provider.openStreams).toBe(0);
  expect(provider.requests[0]?.signal.aborted).toBe(true);
});

test("an abort ends a turn whose provider is deaf", async () => {
  const provider = scriptedProvider([reply(say("Hel"), hang())]);

  const turn = await abortedAt("text_delta", { provider });

  expect(rolesOf(turn)).toEqual(["assistant", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort inside the arguments of a call drops that call", async () => {
  const provider = scriptedProvider([reply(say("So"), cutToolCall("echo", '{"n":'), stall())]);

  const turn = await abortedAt("toolcall_delta", { provider, tools: [echoTool()] });

  expect(turn.messages).toMatchObject([{ content: [{ type: "text", text: "So" }] }, marker]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a call whose arguments were whole when the abort came is kept, and gets a result without being run", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([reply(callTool("echo"), stall())]);

  const turn = await abortedAt("toolcall_end", { provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(turn.messages).toMatchObject([
    { stopReason: "aborted", content: [{ type: "tool_call" }] },
    { role: "tool", isError: true, content: expect.stringContaining("Not run") },
    marker,
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort drops unsigned thinking and keeps what is signed", async () => {
  const provider = scriptedProvider([
    reply(think("signed", { signature: "s1" }), think("unsigned"), say("Hel"), stall()),
  ]);

  const turn = await abortedAt("text_delta", { provider });

  expect(turn.messages[0]).toMatchObject({
    content: [
      { type: "thinking", thinking: "signed", providerData: "s1" },
      { type: "text", text: "Hel" },
    ],
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a reply that had only unsigned thinking leaves no message", async () => {
  const provider = scriptedProvider([reply(think("hm"), stall())]);

  const turn = await abortedAt("thinking_delta", { provider });

  expect(turn.messages).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("what was reported of usage before the abort is counted", async () => {
  const provider = scriptedProvider([
    reply(parts([{ type: "usage", usage: { inputTokens: 9 } }]), say("Hel"), stall()),
  ]);

  const turn = await abortedAt("text_delta", { provider });

  expect(turn.usage).toEqual({ inputTokens: 9 });
});

test("calls that have not run when the abort comes are refused, and the results of those that have are kept", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([
    reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 })),
  ]);

  const turn = await abortedAt("tool_execution_end", {
    provider,
    tools: [echo],
    dispatch: { mode: "sequential" },
  });

  expect(echo.started).toHaveLength(1);
  expect(resultsOf(turn)).toEqual(['{"n":1}', expect.stringContaining("Not run")]);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "tool", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort in the listener of a start keeps the tool from being called", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await abortedAt("tool_execution_start", { provider, tools: [echo] });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).toEqual([expect.stringContaining("Not run")]);
  expect(problemsOf(turn)).toEqual([]);
});

test("after an abort nothing is drained, and what waits is not lost", async () => {
  const waiting = [{ role: "user", id: "s1", content: "Only indoors" } as const];
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await abortedAt("tool_execution_end", {
    provider,
    tools: [echoTool()],
    drainSteering: () => waiting.splice(0),
  });

  expect(turn.finishReason).toBe("aborted");
  expect(waiting).toHaveLength(1);
});

test("an abort while steering is being delivered keeps it, and asks no provider", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([callTool("echo")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    signal: controller.signal,
    drainSteering: () => {
      controller.abort();
      return [{ role: "user", id: "s1", content: "Only indoors" }];
    },
  });

  expect(rolesOf(turn)).toEqual(["assistant", "tool", "user"]);
  expect(turn.messages.at(-1)).toMatchObject({ content: "Only indoors" });
  expect(provider.requests).toHaveLength(1);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort while the turn waits for a retry ends it at once", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const provider = scriptedProvider([failBefore("overloaded"), say("Hello")]);

  const running = runToEnd({
    provider,
    signal: controller.signal,
    clock: { timer: clock.timer },
    limits: { retry: { maxAttempts: 2, baseDelayMs: 60_000 } },
  });
  await clock.advance(1_000);
  controller.abort();
  const turn = await running;

  expect(clock.now()).toBe(1_000);
  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages).toEqual([]);
  expect(provider.requests).toHaveLength(1);
  expect(clock.pending()).toBe(0);
  expect(problemsOf(turn)).toEqual([]);
});

test("an abort after a failure that nothing follows is an abort", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([reply(say("Hel"), failBefore("context_overflow"))]);

  const turn = await runToEnd({
    provider,
    signal: controller.signal,
    context: {
      onOverflow: () => {
        controller.abort();
        return new Promise(() => {});
      },
    },
  });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages).toMatchObject([{ stopReason: "aborted" }, marker]);
  expect(problemsOf(turn)).toEqual([]);
});

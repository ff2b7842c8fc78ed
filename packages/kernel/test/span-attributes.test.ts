/** Attributes of a turn's spans: at their start what is done, at their end the outcome. */
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  finish,
  manualClock,
  remoteTool,
  runToEnd,
  say,
  scriptedProvider,
  wait,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { recordSpans } from "./record-spans.ts";

test("spans say what they belong to", async () => {
  const { logger, spans } = recordSpans();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    providerOpts: { model: "m-1" },
    logger,
  });

  const asked = { provider: "scripted", model: "m-1" };
  expect(spans.map((span) => [span.name, span.attributes])).toEqual([
    ["turn", { conversationId: "c1", turnId: "t1" }],
    ["step", { step: 1 }],
    ["attempt", { step: 1, attempt: 1, ...asked }],
    ["tool", { step: 1, toolCallId: turn.messages[1]?.id, toolName: "echo" }],
    ["step", { step: 2 }],
    ["attempt", { step: 2, attempt: 1, ...asked }],
  ]);
});

test("an attempt says at its end what came of it", async () => {
  const clock = manualClock();
  const { logger, spans } = recordSpans();
  const provider = scriptedProvider(
    [failAfter(say("Hel"), "overloaded"), [wait(() => clock.advance(40)), say("Done")]],
    { usage: { inputTokens: 5, outputTokens: 2 }, origin: { provider: "p", model: "m-1-0613" } },
  );

  await runToEnd({ provider, limits: { retry: { maxAttempts: 2 } }, now: clock.now, logger });

  const outcomes = spans.filter((span) => span.name === "attempt").map((span) => span.outcome);
  expect(outcomes).toEqual([
    { stopReason: "error", responseModel: "m-1-0613", ttftMs: 0 },
    { stopReason: "stop", responseModel: "m-1-0613", ttftMs: 40, inputTokens: 5, outputTokens: 2 },
  ]);
});

test("an empty reply is told with the reason that its provider gave", async () => {
  const { logger, spans } = recordSpans();
  const provider = scriptedProvider([finish("tool-calls")]);

  const turn = await runToEnd({ provider, logger });

  expect(turn.finishReason).toBe("stop");
  expect(spans.at(-1)?.outcome["stopReason"]).toBe("tool-calls");
});

test.each<readonly [string, readonly ScriptItem[], string | undefined]>([
  ["stop", [say("Done")], undefined],
  ["tool-calls", [callTool("remote")], undefined],
  ["error", [failBefore("auth")], "auth"],
])("the span of a turn tells that it ended with %s", async (finishReason, script, code) => {
  const { logger, spans } = recordSpans();

  await runToEnd({ provider: scriptedProvider(script), tools: [remoteTool()], logger });

  expect(spans[0]?.outcome).toEqual({ finishReason });
  expect(spans[0]?.error?.code).toBe(code);
});

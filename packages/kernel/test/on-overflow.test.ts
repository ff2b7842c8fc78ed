import type { ChatMessage, SerializedError } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  manualClock,
  runToEnd,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf, rolesOf } from "./turn-problems.ts";

const smaller: ChatMessage[] = [{ role: "user", id: "summary", content: "In short" }];

test("an overflow may be answered with a smaller context, and the attempt is made again with it", async () => {
  const provider = scriptedProvider([failBefore("context_overflow"), say("Hello")]);

  const turn = await runToEnd({ provider, context: { onOverflow: () => smaller } });

  expect(provider.requests[1]?.messages).toEqual(smaller);
  expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
    { attempt: 1, delayMs: 0, error: { code: "context_overflow" } },
  ]);
  expect(turn.finishReason).toBe("stop");
  expect(rolesOf(turn)).toEqual(["assistant"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("what follows goes on from the smaller context", async () => {
  const provider = scriptedProvider([
    failBefore("context_overflow"),
    callTool("echo"),
    say("Hello"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    context: { onOverflow: async () => smaller },
  });

  expect(provider.requests[2]?.messages).toEqual([...smaller, ...turn.messages.slice(0, 2)]);
});

test("onOverflow is asked once per step, about errors that are not retried", async () => {
  const asked: (string | undefined)[] = [];
  const provider = scriptedProvider([
    failBefore("overloaded"),
    failBefore("context_overflow"),
    callTool("echo"),
    failBefore("context_overflow"),
    failBefore("context_overflow"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2 } },
    context: {
      onOverflow: ({ code }) => {
        asked.push(code);
        return smaller;
      },
    },
  });

  expect(asked).toEqual(["context_overflow", "context_overflow"]);
  expect(turn).toMatchObject({ finishReason: "error", error: { code: "context_overflow" } });
  expect(problemsOf(turn)).toEqual([]);
});

test("if onOverflow has no answer, the error stands and the partial reply is kept", async () => {
  const seen: SerializedError[] = [];
  const provider = scriptedProvider([failAfter(say("Hel"), "invalid_request")]);

  const turn = await runToEnd({
    provider,
    context: {
      onOverflow: (error) => {
        seen.push(error);
        return undefined;
      },
    },
  });

  expect(seen).toMatchObject([{ name: "ProviderError", code: "invalid_request" }]);
  expect(turn).toMatchObject({ finishReason: "error", error: { code: "invalid_request" } });
  expect(turn.messages).toMatchObject([{ stopReason: "error", content: [{ text: "Hel" }] }]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no summary");
    },
  ],
  ["rejects", () => Promise.reject<undefined>(new Error("no summary"))],
  ["never answers", () => new Promise<undefined>(() => {})],
])("an onOverflow that %s loses neither the partial reply nor its error", async (_, onOverflow) => {
  const clock = manualClock();
  const provider = scriptedProvider([failAfter(say("Hel"), "context_overflow")]);

  const turn = await clock.runUntil(
    runToEnd({ provider, context: { onOverflow }, clock: { timer: clock.timer } }),
  );

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "context_overflow" } });
  expect(turn.messages).toMatchObject([{ stopReason: "error", content: [{ text: "Hel" }] }]);
  expect(problemsOf(turn)).toEqual([]);
});

test("usage of the attempt that did not fit is counted", async () => {
  const provider = scriptedProvider([
    failAfter(usage({ inputTokens: 200_000 }), "context_overflow"),
    [say("Hello"), usage({ inputTokens: 10 })],
  ]);

  const turn = await runToEnd({ provider, context: { onOverflow: () => smaller } });

  expect(turn.usage).toEqual({ inputTokens: 200_010 });
});

test("the transcript keeps what the smaller context leaves out", async () => {
  const provider = scriptedProvider([
    callTool("echo"),
    failBefore("context_overflow"),
    say("Hello"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    context: { onOverflow: () => smaller },
  });

  expect(rolesOf(turn)).toEqual(["assistant", "tool", "assistant"]);
  expect(problemsOf(turn)).toEqual([]);
});

/** A vendor that will not take a part of a message. */
function rejects(part: number): ScriptItem {
  const rejected = { messageId: "u1", part };
  return failBefore(new ProviderError("invalid_request", "Bad image", { rejected }));
}

test("each further part that the vendor will not take is asked about, with the context as it is then", async () => {
  const asked: [unknown, number][] = [];
  const provider = scriptedProvider([rejects(0), rejects(1), say("Hello")]);

  const turn = await runToEnd({
    provider,
    context: {
      onOverflow: ({ rejected }, messages) => {
        asked.push([rejected, messages.length]);
        return [...messages, ...smaller];
      },
    },
  });

  expect(turn.finishReason).toBe("stop");
  expect(asked).toEqual([
    [{ messageId: "u1", part: 0 }, 1],
    [{ messageId: "u1", part: 1 }, 2],
  ]);
});

test("an onOverflow that never helps comes to an end", async () => {
  const provider = scriptedProvider(Array(30).fill(rejects(0)));

  const turn = await runToEnd({ provider, context: { onOverflow: () => smaller } });

  expect(turn.error).toMatchObject({ code: "invalid_request", rejected: { part: 0 } });
  expect(provider.requests).toHaveLength(17);
});

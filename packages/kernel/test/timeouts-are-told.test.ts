/** Text for the model after a turn that ran out of time: a timeout, not an interruption by the user. */
import { abortReasonOf, runTurn } from "@capstan/kernel";
import type { ChatMessage } from "@capstan/kernel";
import { callTool, deferredTool, manualClock, reply, say, stall } from "@capstan/testing";
import { runToEnd, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const timedOut = "[interrupted: the time limit of the turn was reached]";

function contents(messages: readonly ChatMessage[]): unknown[] {
  return messages.map((message) => ("content" in message ? message.content : undefined));
}

test.each([
  ["a pure tool", "pure", "Stopped while running: the time limit of the turn was reached."],
  [
    "another tool",
    "at-most-once",
    "Stopped while running: the time limit of the turn was reached. It may have taken effect.",
  ],
] as const)(
  "the deadline of a turn is told in the result of %s that ran",
  async (_, effect, text) => {
    const clock = manualClock();
    const tool = deferredTool({ effect });

    const turn = runTurn({
      provider: scriptedProvider([reply(callTool("deferred"), callTool("deferred"))]),
      messages: [{ role: "user", id: "u1", content: "Hello" }],
      tools: [tool],
      dispatch: { maxParallel: 1 },
      emit: () => {},
      conversationId: "c1",
      turnId: "t1",
      clock: { timer: clock.timer },
      now: clock.now,
      limits: { deadlines: { turnMs: 1_000 } },
    });
    const { messages } = await clock.runUntil(turn);

    expect(contents(messages.slice(1))).toEqual([
      text,
      "Not run: the time limit of the turn was reached.",
      timedOut,
    ]);
  },
);

test.each([
  ["a signal that timed out", new DOMException("Too slow", "TimeoutError"), timedOut],
  ["the word for it", "timeout", timedOut],
  ["another reason", "enough", "[interrupted by user]"],
  ["another error", new Error("timeout"), "[interrupted by user]"],
  ["no reason", undefined, "[interrupted by user]"],
])("an abort by %s is told as such", async (_, reason, marker) => {
  const stop = new AbortController();

  const turn = await runToEnd({
    provider: scriptedProvider([reply(say("Half"), stall())]),
    signal: stop.signal,
    emit: (event) => {
      if (event.type === "text_delta") stop.abort(reason);
    },
  });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages.at(-1)).toMatchObject({ content: marker, source: "interruption" });
});

test("an attempt that ran out of time leaves no word of an interruption", async () => {
  const clock = manualClock();
  const provider = scriptedProvider([reply(say("Half"), stall())]);

  const turn = await clock.runUntil(
    runToEnd({
      provider,
      clock: { timer: clock.timer },
      now: clock.now,
      limits: { deadlines: { attemptMs: 1_000 } },
    }),
  );

  expect(turn.error?.message).toContain("1000 ms");
  expect(turn.messages).toMatchObject([{ role: "assistant", stopReason: "error" }]);
});

test("the reason of a real timeout is written down in a word", async () => {
  const { signal } = { signal: AbortSignal.abort(new DOMException("", "TimeoutError")) };

  expect(abortReasonOf(signal.reason)).toBe("timeout");
  expect(abortReasonOf(AbortSignal.abort().reason)).toBeUndefined();
});

import type { ChatMessage, Room, SerializedError } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failBefore,
  manualClock,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";

const smaller: ChatMessage[] = [{ role: "user", id: "summary", content: "In short" }];

test("it is asked before each request, when all that the request has is there", async () => {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  const order: string[] = [];

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    drainSteering: () => {
      order.push("drain");
      return [{ role: "user", id: "s", content: "Faster" }];
    },
    context: {
      makeRoom: () => {
        order.push(`room before request ${provider.requests.length + 1}`);
        return undefined;
      },
    },
  });

  expect(turn.finishReason).toBe("stop");
  expect(order).toEqual(["room before request 1", "drain", "room before request 2"]);
});

test("if it ends the turn, no request is made", async () => {
  const provider = scriptedProvider([say("Never")]);

  const turn = await runToEnd({ provider, context: { makeRoom: async () => "context-exhausted" } });

  expect(turn.finishReason).toBe("context-exhausted");
  expect(provider.requests).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("if it made room the limits are checked again: it may have spent a budget", async () => {
  const provider = scriptedProvider([say("Never")]);
  let isSpent = false;

  const turn = await runToEnd({
    provider,
    limits: { checkLimits: () => (isSpent ? "budget-exceeded" : undefined) },
    context: {
      makeRoom: () => {
        isSpent = true;
        return true;
      },
    },
  });

  expect(turn.finishReason).toBe("budget-exceeded");
  expect(provider.requests).toEqual([]);
});

test("a request that was too long is made again when there is room, with a context that is asked for anew", async () => {
  const provider = scriptedProvider([failBefore("context_overflow"), say("Hello")]);
  const asked: (SerializedError | undefined)[] = [];
  let shown: readonly ChatMessage[] | undefined;

  const turn = await runToEnd({
    provider,
    context: {
      project: ({ history, input, added }) => shown ?? [...history, ...input, ...added],
      makeRoom: async (overflow) => {
        asked.push(overflow);
        if (overflow === undefined) return undefined;
        shown = smaller;
        return true;
      },
    },
  });

  expect(asked).toMatchObject([undefined, { code: "context_overflow" }]);
  expect(provider.requests[1]?.messages).toEqual(smaller);
  expect(turn.recorder.ofType("attempt_discarded")).toMatchObject([
    { error: { code: "context_overflow" } },
  ]);
  expect(turn.finishReason).toBe("stop");
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[what: string, room: () => Room | Promise<Room>, finishReason: string]>([
  ["says that there is none", () => "context-exhausted", "context-exhausted"],
  ["can do nothing", () => undefined, "error"],
  ["fails", () => Promise.reject(new Error("No summary")), "error"],
])("if it %s for a request that was too long, the turn ends so", async (_, room, finishReason) => {
  const provider = scriptedProvider([failBefore("context_overflow"), say("Never")]);

  const turn = await runToEnd({
    provider,
    context: { makeRoom: (overflow) => (overflow === undefined ? undefined : room()) },
  });

  expect(turn.finishReason).toBe(finishReason);
  expect(provider.requests).toHaveLength(1);
  expect(problemsOf(turn)).toEqual([]);
});

test("another error does not ask for room", async () => {
  const provider = scriptedProvider([failBefore("invalid_request")]);
  const asked: (SerializedError | undefined)[] = [];

  await runToEnd({
    provider,
    context: {
      makeRoom: (overflow) => {
        asked.push(overflow);
        return undefined;
      },
    },
  });

  expect(asked).toEqual([undefined]);
});

test("onOverflow is asked first, and its context holds until there is another", async () => {
  const provider = scriptedProvider([
    failBefore("context_overflow"),
    callTool("echo"),
    say("Done"),
  ]);
  let isFull = false;

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    context: {
      onOverflow: () => smaller,
      project: () => [{ role: "user", id: "new", content: "Shorter still" }],
      makeRoom: () => {
        const room: Room = isFull ? true : undefined;
        isFull = true;
        return room;
      },
    },
  });

  expect(turn.finishReason).toBe("stop");
  expect(provider.requests.map(({ messages }) => messages[0]?.id)).toEqual([
    "new",
    "summary",
    "new",
  ]);
});

test("it may take longer than a callback, and an abort ends the wait", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const provider = scriptedProvider([say("Never")]);
  const running = runToEnd({
    provider,
    clock: { timer: clock.timer },
    now: clock.now,
    signal: controller.signal,
    context: { makeRoom: () => new Promise<Room>(() => {}) },
  });
  await clock.advance(10 * 60_000);

  controller.abort();
  const turn = await running;

  expect(turn.finishReason).toBe("aborted");
  expect(provider.requests).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

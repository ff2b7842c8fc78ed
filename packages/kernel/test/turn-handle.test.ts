/** The handle of a turn: one reader, a response that always comes, and two ways to stop. */
import { getEventListeners } from "node:events";
import { runTurn, startTurn, toTurnResponse } from "@capstan/kernel";
import type { RunTurnResult, Turn, TurnResponse } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  manualClock,
  reply,
  say,
  scriptedProvider,
  sequentialIds,
  stall,
} from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { inTurn } from "./arbitrary-events.ts";

const done: TurnResponse = {
  status: "completed",
  text: "Done",
  hasAnswer: true,
  messages: [],
  finishReason: "stop",
  usage: {},
};

function start(script: readonly ScriptItem[], signal?: AbortSignal): [Turn, ScriptedProvider] {
  const provider = scriptedProvider(script);
  const turn = startTurn(
    "t1",
    async ({ emit, signal }) => {
      const result = await runTurn({
        provider,
        messages: [{ role: "user", id: "u1", content: "Hello" }],
        tools: [echoTool()],
        dispatch: {},
        conversationId: "c1",
        turnId: "t1",
        clock: { newId: sequentialIds() },
        emit,
        signal,
      });
      return toTurnResponse(result);
    },
    signal,
  );
  return [turn, provider];
}

test("a turn runs to its end even if it is not read", async () => {
  const [turn, provider] = start([callTool("echo"), say("Done")]);

  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(turn.id).toBe("t1");
  provider.assertComplete();
});

test("a late reader gets everything from the beginning", async () => {
  const [turn] = start([say("Done")]);

  await turn.response;
  const events = await Array.fromAsync(turn);

  expect(events[0]?.type).toBe("turn_start");
  expect(events.at(-1)?.type).toBe("turn_end");
});

test("result() is the response", async () => {
  const [turn] = start([say("Done")]);

  const result = turn.result();

  expect(await result).toBe(await turn.response);
});

test("leaving the loop early does not stop the turn", async () => {
  const [turn, provider] = start([callTool("echo"), say("Done")]);

  const seen: string[] = [];
  for await (const event of turn) {
    seen.push(event.type);
    break;
  }
  const response = await turn.response;

  expect(seen).toEqual(["turn_start"]);
  expect(response).toMatchObject({ status: "completed", text: "Done" });
  provider.assertComplete();
});

test("a loop that throws while it reads does not stop the turn", async () => {
  const [turn] = start([say("Done")]);

  const reading = Array.fromAsync(turn, () => {
    throw new Error("the reader failed");
  });

  await expect(reading).rejects.toThrow("the reader failed");
  expect(await turn.response).toMatchObject({ status: "completed" });
});

test("a second reader is refused with a clear error, whichever door it takes", async () => {
  const [turn] = start([say("Done")]);
  const first = Array.fromAsync(turn);

  const second = (): unknown => turn[Symbol.asyncIterator]();
  const third = (): unknown => turn.events[Symbol.asyncIterator]();

  expect(second).toThrow("a turn has one reader");
  expect(third).toThrow("a turn has one reader");
  expect((await first).at(-1)?.type).toBe("turn_end");
});

test.each<readonly [string, () => Promise<TurnResponse>]>([
  ["rejects", () => Promise.reject(new RangeError("no more"))],
  [
    "throws",
    () => {
      throw new RangeError("no more");
    },
  ],
])("when the work %s, the response has the error and the events end", async (_, work) => {
  const turn = startTurn("t1", work);

  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(events).toEqual([]);
  expect(response).toEqual({
    status: "error",
    text: "",
    hasAnswer: false,
    messages: [],
    finishReason: "error",
    usage: {},
    error: { name: "RangeError", message: "no more" },
  });
});

test("abort() stops the turn, says why, and keeps what was said", async () => {
  const [turn] = start([reply(say("Hel"), stall())]);
  await manualClock().advance(0);

  turn.abort("enough");
  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(response).toMatchObject({ status: "aborted", finishReason: "aborted" });
  expect(response.messages).toMatchObject([{ content: [{ text: "Hel" }] }, { role: "user" }]);
  expect(events).toContainEqual(inTurn({ type: "abort", reason: "enough" }));
});

test("abort() after the end changes nothing", async () => {
  const [turn] = start([say("Done")]);
  const response = await turn.response;

  turn.abort("too late");

  expect(response.status).toBe("completed");
  expect(await turn.result()).toBe(response);
});

test("a signal from outside stops the turn", async () => {
  const controller = new AbortController();
  const [turn] = start([reply(say("Hel"), stall())], controller.signal);
  await manualClock().advance(0);

  controller.abort("the window was closed");
  const events = await Array.fromAsync(turn);

  expect(events).toContainEqual(inTurn({ type: "abort", reason: "the window was closed" }));
  expect((await turn.response).status).toBe("aborted");
});

test("a signal that has fired before makes no request", async () => {
  const [turn, provider] = start([say("Done")], AbortSignal.abort("no need"));

  const response = await turn.response;

  expect(response).toMatchObject({ status: "aborted", messages: [] });
  expect(provider.requests).toEqual([]);
});

test("a turn that is over holds on to no signal from outside", async () => {
  const controller = new AbortController();
  const [turn] = start([say("Done")], controller.signal);

  const during = getEventListeners(controller.signal, "abort").length;
  await turn.response;

  expect(during).toBe(1);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("events that the work emits after its end are dropped", async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const turn = startTurn("t1", async ({ emit }) => {
    resolve(() => emit(inTurn({ type: "settled" })));
    return done;
  });
  await turn.response;

  const emitLate = await promise;
  emitLate();

  expect(await Array.fromAsync(turn)).toEqual([]);
});

const result: RunTurnResult = {
  messages: [
    {
      role: "assistant",
      id: "a1",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo" },
      ],
      stopReason: "stop",
    },
    { role: "user", id: "u2", content: "Bye" },
  ],
  usage: { inputTokens: 1 },
  finishReason: "stop",
  progress: { steps: 1, attempts: 1, usage: { inputTokens: 1 } },
};

test("the response has the text of the last reply and nothing that was not asked for", () => {
  const response = toTurnResponse(result);

  expect(response).toEqual({
    status: "completed",
    text: "Hello",
    hasAnswer: true,
    messages: result.messages,
    finishReason: "stop",
    usage: { inputTokens: 1 },
  });
});

test.each<readonly [TurnResponse["status"], Partial<RunTurnResult>]>([
  ["completed", { finishReason: "length" }],
  ["completed", { finishReason: "max-steps" }],
  ["completed", { finishReason: "vendor-specific" }],
  ["aborted", { finishReason: "aborted" }],
  ["error", { finishReason: "error", error: { name: "Error", message: "broken" } }],
  ["awaiting_tool_execution", { finishReason: "tool-calls", pending: [] }],
])("the status is %s for %o", (status, overrides) => {
  const response = toTurnResponse({ ...result, ...overrides });

  expect(response.status).toBe(status);
  expect(response.error).toEqual(overrides.error);
  expect(response.pendingToolCalls).toEqual(overrides.pending);
});

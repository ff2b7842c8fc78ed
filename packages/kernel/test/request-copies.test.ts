import type { ProviderContract, ProviderRequest } from "@capstan/kernel";
import { manualClock, reply, runToEnd, say, scriptedProvider, stall } from "@capstan/testing";
import { expect, test } from "vitest";

const copyOf = (request: ProviderRequest): ProviderRequest => ({
  ...request,
  options: { ...request.options, temperature: 0.5 },
});

/** Asks with a copy of each request, as wrappers do. */
function copying(provider: ProviderContract, copies: ProviderRequest[] = []): ProviderContract {
  return {
    ...provider,
    stream(request) {
      const copy = copyOf(request);
      copies.push(copy);
      return provider.stream(copy);
    },
  };
}

test("a copy of a request by a spread has its messages, tools, signal and ids", async () => {
  const provider = scriptedProvider([say("Hello")]);
  const copies: ProviderRequest[] = [];

  const turn = await runToEnd({
    provider: copying(provider, copies),
    messages: [{ role: "user", id: "u", content: "Hi" }],
    providerOpts: { model: "m" },
  });

  expect(turn.finishReason).toBe("stop");
  expect(provider.requests).toMatchObject([
    { messages: [{ id: "u" }], options: { model: "m", temperature: 0.5 } },
  ]);
  expect(copies).toMatchObject([{ turnId: "t1", step: 1, attempt: 1 }]);
  expect(copies[0]?.signal).toBeInstanceOf(AbortSignal);
});

test("the signal of a copy fires when the attempt is given up", async () => {
  const clock = manualClock();
  const copies: ProviderRequest[] = [];
  const provider = scriptedProvider([reply(say("He"), stall())]);

  const running = runToEnd({
    provider: copying(provider, copies),
    clock: { timer: clock.timer },
    now: clock.now,
    limits: { deadlines: { attemptMs: 100 } },
  });
  await clock.advance(100);
  const turn = await running;

  expect(turn.error?.code).toBe("network");
  expect(copies[0]?.signal.aborted).toBe(true);
});

test("messages are computed once, and not before they are read", async () => {
  let asked = 0;
  const seen: boolean[] = [];
  const silent: ProviderContract = {
    id: "silent",
    async *stream(request) {
      const before = asked;
      seen.push(before === 0, request.messages === request.messages, asked === before + 1);
      yield { type: "finish", reason: "stop" };
    },
  };

  await runToEnd({
    provider: silent,
    context: {
      project: () => {
        asked++;
        return [];
      },
    },
  });

  expect(seen).toEqual([true, true, true]);
});

/** Limits of a turn besides its steps: time, the length of replies, pauses, live tool output. */
import type { ProviderContract, ProviderPart, RunTurnInput } from "@capstan/kernel";
import { runTurn } from "@capstan/kernel";
import {
  callTool,
  manualClock,
  pause,
  recordEvents,
  reply,
  say,
  scriptedProvider,
} from "@capstan/testing";
import type { ManualClock } from "@capstan/testing";
import { expect, test } from "vitest";

const given: Pick<
  RunTurnInput,
  "messages" | "tools" | "dispatch" | "emit" | "conversationId" | "turnId"
> = {
  messages: [{ role: "user", id: "u", content: "go" }],
  tools: [],
  dispatch: {},
  emit: () => {},
  conversationId: "c",
  turnId: "t",
};

/** One of the parts every `ms`, the last one for ever. */
function every(clock: ManualClock, ms: number, parts: readonly ProviderPart[]): ProviderContract {
  return {
    id: "slow",
    async *stream() {
      for (let place = 0; ; place += 1) {
        await new Promise<void>((resolve) => {
          clock.timer(ms, resolve);
        });
        yield parts[place] ?? (parts.at(-1) as ProviderPart);
      }
    },
  };
}

function sending(parts: Iterable<ProviderPart>): ProviderContract {
  return {
    id: "odd",
    async *stream() {
      yield* parts;
    },
  };
}

test("signs of life without content keep an attempt alive no longer than contentMs", async () => {
  const clock = manualClock();
  const provider = every(clock, 30_000, [{ type: "text_delta", delta: "Well" }, { type: "ping" }]);
  const deadlines = { firstPartMs: 60_000, betweenPartsMs: 60_000, contentMs: 120_000 };

  const result = await clock.runUntil(
    runTurn({ ...given, now: clock.now, clock, provider, limits: { deadlines } }),
  );

  expect(result.error).toMatchObject({ code: "network" });
  expect(result.error?.message).toContain("no content within 120000 ms");
  expect(clock.now()).toBeLessThanOrEqual(30_000 + 120_000 + 30_000);
});

test("before the first content they do not shorten the time that a silent model has", async () => {
  const clock = manualClock();
  const late: ProviderPart[] = Array.from({ length: 6 }, () => ({ type: "ping" }));
  const provider = every(clock, 30_000, [
    ...late,
    { type: "text_delta", delta: "Done" },
    { type: "finish", reason: "stop" },
  ]);
  const deadlines = { firstPartMs: 300_000, betweenPartsMs: 60_000, contentMs: 60_000 };

  const result = await clock.runUntil(
    runTurn({ ...given, now: clock.now, clock, provider, limits: { deadlines } }),
  );

  expect(result.finishReason).toBe("stop");
});

test("turnMs ends a request under way, and keeps what was said until then", async () => {
  const clock = manualClock();
  const provider = every(clock, 1_000, [{ type: "text_delta", delta: "more " }]);

  const turn = runTurn({
    ...given,
    now: clock.now,
    clock,
    provider,
    limits: { deadlines: { turnMs: 4_500 } },
  });
  const { finishReason, messages, error } = await clock.runUntil(turn);

  expect({ finishReason, error }).toEqual({ finishReason: "budget-exceeded", error: undefined });
  expect(messages[0]).toMatchObject({ content: [{ text: "more more more more " }] });
  expect(messages[1]).toMatchObject({ role: "user", source: "interruption" });
  expect(clock.now()).toBe(4_500);
});

test("turnMs ends running tools, which are told to stop", async () => {
  const clock = manualClock();
  const signals: AbortSignal[] = [];
  const tool = {
    name: "hang",
    description: "Never returns",
    inputSchema: { type: "object" },
    execute: (_: never, { signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    },
  };
  const provider = scriptedProvider([callTool("hang")]);

  const turn = runTurn({
    ...given,
    now: clock.now,
    clock,
    provider,
    tools: [tool],
    limits: { deadlines: { turnMs: 60_000 } },
  });
  const { finishReason, messages } = await clock.runUntil(turn);

  expect(finishReason).toBe("budget-exceeded");
  expect(signals[0]?.aborted).toBe(true);
  expect(messages[1]).toMatchObject({ role: "tool", isError: true });
});

test("an abort that comes first is an abort, whatever time was left", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const provider = every(clock, 1_000, [{ type: "text_delta", delta: "x" }]);
  clock.timer(2_500, () => stop.abort());

  const { signal } = stop;
  const turn = runTurn({
    ...given,
    now: clock.now,
    clock,
    provider,
    signal,
    limits: { deadlines: { turnMs: 9_000 } },
  });
  const result = await clock.runUntil(turn);

  expect(result.finishReason).toBe("aborted");
});

test.each<readonly [string, Iterable<ProviderPart>, string]>([
  ["text without an end", endless({ type: "text_delta", delta: "x".repeat(100) }), "replyChars"],
  ["empty parts without an end", endless({ type: "text_start" }), "replyChars"],
  ["data without an end", endless({ type: "native", data: { a: "b" } }), "replyChars"],
  ["calls without an end", endlessCalls(), "replyCalls"],
])("a reply of %s fails, and nothing of it is kept", async (_, parts, limit) => {
  const limits = { replyChars: 10_000, replyCalls: 20 };

  const result = await runTurn({ ...given, provider: sending(parts), limits });

  expect(result.error).toMatchObject({ name: "ProviderError", code: "protocol" });
  expect(result.error?.message).toContain(`limits.${limit}`);
  expect(result.messages).toEqual([]);
});

test("a provider that only pauses is not asked for ever", async () => {
  const paused = reply(say("wait"), pause());
  const provider = scriptedProvider([paused, paused, paused, paused, say("never")]);

  const result = await runTurn({ ...given, provider, limits: { pauses: 3 } });

  expect(result.error).toMatchObject({ code: "protocol" });
  expect(provider.requests).toHaveLength(4);
});

test("what a tool shows live is cut at its limit, and its result is whole", async () => {
  const shown = recordEvents();
  const tool = {
    name: "talk",
    description: "Says much",
    inputSchema: { type: "object" },
    async *execute() {
      for (let part = 0; part < 10; part += 1) {
        yield { type: "delta", delta: "0123456789" } as const;
      }
    },
  };
  const provider = scriptedProvider([callTool("talk"), say("Done")]);

  const { messages } = await runTurn({
    ...given,
    provider,
    tools: [tool],
    emit: shown.emit,
    limits: { liveOutputChars: 25 },
  });

  const live = shown.ofType("tool_execution_delta").map(({ delta }) => delta);
  expect(live.join("")).toBe("0123456789012345678901234\n(The rest is not shown live.)\n");
  expect(messages[1]).toMatchObject({ content: "0123456789".repeat(10) });
});

function* endless(part: ProviderPart): Generator<ProviderPart> {
  for (;;) yield part;
}

function* endlessCalls(): Generator<ProviderPart> {
  for (let index = 0; ; index += 1) {
    yield { type: "toolcall_start", index, name: "tool" };
    yield { type: "toolcall_end", index };
  }
}

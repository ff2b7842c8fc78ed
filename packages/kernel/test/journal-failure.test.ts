import type { ChatMessage, Fact, Journal, OpenCall, PendingCall } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import type { RunToEndOptions } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { keepDiary } from "./diary.ts";
import type { Diary } from "./diary.ts";
import { overlay } from "./overlay.ts";
import { problemsOf } from "./turn-problems.ts";

const faults = {
  throws: (): never => {
    throw new Error("disk full");
  },
  rejects: (): Promise<never> => Promise.reject(new Error("disk full")),
  hangs: (): Promise<never> => new Promise(() => {}),
};

const factTypes: readonly Fact["type"][] = [
  "attempt",
  "attempt_ended",
  "message",
  "pending",
  "tool_intent",
  "tool_result",
  "steering_delivered",
  "turn_ended",
];

/** Works until a fact of this type comes. */
function failingAt({ hooks, note }: Diary, type: Fact["type"], fault: () => never): Journal {
  return (facts) => {
    if (!facts.some((fact) => fact.type === type)) return hooks.journal.record(facts);
    note("failure");
    return fault();
  };
}

/** A turn that records facts of all types. */
function eventfulTurn(diary: Diary): RunToEndOptions {
  const waiting: PendingCall[] = [];
  const steering: ChatMessage[][] = [[{ role: "user", id: "s1", content: "Only indoors" }]];
  return {
    provider: diary.watch(
      scriptedProvider([
        failBefore("overloaded"),
        reply(callTool("echo"), callTool("guarded")),
        say("Done"),
      ]),
    ),
    tools: [echoTool(), echoTool({ name: "guarded", needsApproval: true })].map((tool) => {
      return {
        ...tool,
        execute: () => {
          diary.note(tool.name);
          return "done";
        },
      };
    }),
    limits: { retry: { maxAttempts: 2 } },
    emit: (event) => {
      diary.hooks.emit(event);
      if (event.type === "awaiting_tool_execution") waiting.push(...event.pending);
    },
    journal: {
      answers: () =>
        waiting.splice(0).map(({ toolCallId }): OpenCall => {
          return { toolCallId, state: "approved" };
        }),
    },
    drainSteering: () => steering.shift() ?? [],
  };
}

test("the turn of these tests records facts of all types", async () => {
  const diary = keepDiary();

  await runToEnd(overlay(eventfulTurn(diary), { journal: diary.hooks.journal }));

  expect(new Set(diary.calls.flat())).toEqual(new Set(factTypes));
});

describe.each(Object.entries(faults))("a journal that %s", (_, fault) => {
  test.each(factTypes)(
    "at %s ends the turn with an error, and nothing more happens",
    async (type) => {
      const diary = keepDiary();
      const clock = manualClock();

      const turn = await clock.runUntil(
        runToEnd(
          overlay(eventfulTurn(diary), {
            clock: { timer: clock.timer },
            journal: { record: failingAt(diary, type, fault as () => never) },
          }),
        ),
      );

      const later = diary.entries.slice(diary.entries.indexOf("effect failure") + 1);
      expect(later.filter((entry) => !entry.startsWith("event"))).toEqual([]);
      expect(later.indexOf("event error")).toBe(later.length - 1);
      expect(turn).toMatchObject({ finishReason: "error", error: { code: "journal_failed" } });
      expect(problemsOf(turn)).toEqual([]);
    },
  );
});

test("the error says what the journal said", async () => {
  const turn = await runToEnd({
    provider: scriptedProvider([]),
    journal: { record: faults.throws },
  });

  expect(turn.error?.message).toContain("disk full");
  expect(turn.recorder.ofType("error").map((event) => event.error)).toEqual([turn.error]);
});

test("a journal that hangs is given up at the deadline of callbacks", async () => {
  const clock = manualClock();

  const running = runToEnd({
    provider: scriptedProvider([]),
    journal: { record: faults.hangs },
    clock: { timer: clock.timer },
    limits: { deadlines: { callbackMs: 70 } },
  });
  await clock.runUntil(running);

  expect(clock.now()).toBe(70);
});

test("an abort ends a turn whose journal hangs and that has no timer", async () => {
  const controller = new AbortController();

  const running = runToEnd({
    provider: scriptedProvider([]),
    journal: { record: faults.hangs },
    signal: controller.signal,
  });
  await manualClock().advance(0);
  controller.abort();
  const turn = await running;

  expect(turn.error?.code).toBe("journal_failed");
  expect(problemsOf(turn)).toEqual([]);
});

test("a tool that runs when the journal fails is told to stop, and what it says then is dropped", async () => {
  const diary = keepDiary();
  const clock = manualClock();
  const quick = deferredTool({ name: "quick" });
  const slow = deferredTool({ name: "slow" });
  const provider = scriptedProvider([reply(callTool("quick"), callTool("slow"))]);

  const running = runToEnd({
    provider,
    tools: [quick, slow],
    journal: { record: failingAt(diary, "tool_result", faults.throws) },
  });
  const [call] = await slow.whenStarted();
  quick.resolve("id-2", "done");
  const turn = await running;
  call?.context.update("late");
  slow.resolve("id-3", "late");
  await clock.advance(0);

  expect(call?.context.signal.aborted).toBe(true);
  expect(turn.events.at(-1)?.type).toBe("error");
  expect(problemsOf(turn)).toEqual([]);
});

test("a call that was running when the journal failed is not said not to have run", async () => {
  const diary = keepDiary();
  const quick = deferredTool({ name: "quick" });
  const slow = deferredTool({ name: "slow" });
  const provider = scriptedProvider([reply(callTool("quick"), callTool("slow"))]);

  const running = runToEnd({
    provider,
    tools: [quick, slow],
    journal: { record: failingAt(diary, "tool_result", faults.throws) },
  });
  await slow.whenStarted();
  quick.resolve("id-2", "done");
  const turn = await running;

  expect(turn.messages[2]).toMatchObject({ isError: true });
  expect(turn.messages[2]).not.toMatchObject({ content: expect.stringContaining("Not run") });
});

test("a suspended turn whose end cannot be recorded leaves a valid transcript", async () => {
  const diary = keepDiary();
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { record: failingAt(diary, "turn_ended", faults.throws) },
  });

  expect(turn.error?.code).toBe("journal_failed");
  expect(problemsOf(turn)).toEqual([]);
});

test("an aborted turn whose end cannot be recorded leaves a valid transcript", async () => {
  const diary = keepDiary();
  const controller = new AbortController();
  const provider = scriptedProvider([reply(say("Hel"), stall())]);

  const turn = await runToEnd({
    provider,
    signal: controller.signal,
    emit: (event) => event.type === "text_delta" && controller.abort(),
    journal: { record: failingAt(diary, "turn_ended", faults.throws) },
  });

  expect(turn.error?.code).toBe("journal_failed");
  expect(problemsOf(turn)).toEqual([]);
});

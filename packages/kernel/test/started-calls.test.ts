import type { Reconciliation, ToolContract } from "@capstan/kernel";
import { echoTool, manualClock, remoteTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { factsOfType, keepDiary } from "./diary.ts";
import { called, historyWith, problemsAfterResume, resultsOf, resume } from "./unfinished-step.ts";

const messages = historyWith(called("k1", "echo", { n: 1 }));
const open = [{ toolCallId: "k1", state: "started", key: "key-1" } as const];
const unknown = expect.stringContaining("outcome is unknown");

function reconciling(found: () => Reconciliation | Promise<Reconciliation>): {
  readonly keys: string[];
  readonly reconcile: NonNullable<ToolContract["reconcile"]>;
} {
  const keys: string[] = [];
  return {
    keys,
    reconcile: (key) => {
      keys.push(key);
      return found();
    },
  };
}

test.each(["pure", "idempotent"] as const)(
  "a %s tool that had started runs again, with the same key and without a second intent",
  async (effect) => {
    const { facts, hooks } = keepDiary();
    const echo = echoTool({ effect });
    const provider = scriptedProvider([say("Done")]);

    const turn = await resume({
      ...hooks,
      provider,
      tools: [echo],
      messages,
      journal: { ...hooks.journal, open },
    });

    expect(echo.started.map((call) => call.context.idempotencyKey)).toEqual(["key-1"]);
    expect(factsOfType(facts, "tool_intent")).toEqual([]);
    expect(resultsOf(turn)).toEqual(['{"n":1}']);
    expect(problemsAfterResume(turn)).toEqual([]);
  },
);

test("a second run gets the input that the first one had, and no hook is asked about it", async () => {
  const echo = echoTool({ effect: "idempotent", needsApproval: true });
  const asked: string[] = [];
  const provider = scriptedProvider([say("Done")]);

  await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open: [{ toolCallId: "k1", state: "started", key: "key-1", input: { n: 7 } }] },
    dispatch: { before: ({ toolCallId }) => void asked.push(toolCallId) },
  });

  expect(asked).toEqual([]);
  expect(echo.started.map((call) => call.input)).toEqual([{ n: 7 }]);
});

test("a tool that must not run twice does not, and the model is told that the outcome is unknown", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open } });

  expect(echo.started).toEqual([]);
  expect(turn.messages[0]).toMatchObject({ isError: true, content: unknown });
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a tool that finds its effect gives the result without running again", async () => {
  const { keys, reconcile } = reconciling(() => ({ outcome: "done", output: { booked: true } }));
  const echo = echoTool({ reconcile });
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open } });

  expect(keys).toEqual(["key-1"]);
  expect(echo.started).toEqual([]);
  expect(turn.messages[0]).toMatchObject({ isError: false, content: '{"booked":true}' });
});

test("a tool that finds no effect runs, with the same key", async () => {
  const { reconcile } = reconciling(async () => ({ outcome: "not-run" }));
  const echo = echoTool({ reconcile });
  const provider = scriptedProvider([say("Done")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open } });

  expect(echo.started.map((call) => call.context.idempotencyKey)).toEqual(["key-1"]);
  expect(resultsOf(turn)).toEqual(['{"n":1}']);
});

test.each([
  ["says so", () => ({ outcome: "unknown" }) as const],
  [
    "throws",
    () => {
      throw new Error("no network");
    },
  ],
  ["rejects", () => Promise.reject<Reconciliation>(new Error("no network"))],
  ["says nothing", () => undefined as unknown as Reconciliation],
])("a tool that cannot tell and %s leaves the outcome unknown", async (_, found) => {
  const echo = echoTool({ reconcile: found });
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open } });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).toEqual([unknown]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a tool that never tells is given up at the deadline of callbacks", async () => {
  const clock = manualClock();
  const { reconcile } = reconciling(() => new Promise(() => {}));
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await clock.runUntil(
    resume({
      provider,
      tools: [echoTool({ reconcile })],
      messages,
      journal: { open },
      clock: { timer: clock.timer },
    }),
  );

  expect(resultsOf(turn)).toEqual([unknown]);
  expect(clock.now()).toBe(30_000);
});

test("a tool that tells something that is not JSON fails the call, not the turn", async () => {
  const { reconcile } = reconciling(() => ({ outcome: "done", output: { big: 1n } }));
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await resume({
    provider,
    tools: [echoTool({ reconcile })],
    messages,
    journal: { open },
  });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages[0]).toMatchObject({ role: "tool", isError: true });
});

test("a call whose tool is gone has an unknown outcome", async () => {
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await resume({ provider, tools: [], messages, journal: { open } });

  expect(resultsOf(turn)).toEqual([unknown]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("a call whose input its tool does not take any more is not said not to have run", async () => {
  const echo = echoTool({
    effect: "idempotent",
    parseInput: () => ({ issues: [{ message: "n is gone" }] }),
  });
  const provider = scriptedProvider([say("I'll check")]);

  const turn = await resume({ provider, tools: [echo], messages, journal: { open } });

  expect(echo.started).toEqual([]);
  expect(turn.messages[0]).toMatchObject({ role: "tool", isError: true });
  expect(resultsOf(turn)).not.toEqual([expect.stringContaining("Not run")]);
});

test("an abort does not say of a call that had started that it has not run", async () => {
  const provider = scriptedProvider([]);

  const turn = await resume({
    provider,
    tools: [echoTool()],
    messages,
    journal: { open },
    signal: AbortSignal.abort(),
  });

  expect(turn.finishReason).toBe("aborted");
  expect(resultsOf(turn)).not.toEqual([expect.stringContaining("Not run")]);
  expect(problemsAfterResume(turn)).toEqual([]);
});

test("an abort just before the second run does not say that there was no first", async () => {
  const controller = new AbortController();
  const echo = echoTool({ effect: "idempotent" });
  const provider = scriptedProvider([]);

  const turn = await resume({
    provider,
    tools: [echo],
    messages,
    journal: { open },
    signal: controller.signal,
    emit: (event) => event.type === "tool_execution_start" && controller.abort(),
  });

  expect(echo.started).toEqual([]);
  expect(resultsOf(turn)).not.toEqual([expect.stringContaining("Not run")]);
});

test("a journal that fails does not say of a call that had started that it has not run", async () => {
  const provider = scriptedProvider([]);

  const turn = await resume({
    provider,
    tools: [echoTool()],
    messages: historyWith(called("k0", "echo"), called("k1", "echo")),
    journal: {
      open,
      record: () => {
        throw new Error("disk full");
      },
    },
    dispatch: { mode: "sequential" },
  });

  expect(turn.error?.code).toBe("journal_failed");
  expect(resultsOf(turn)).toEqual([
    expect.stringContaining("Not run"),
    expect.not.stringContaining("Not run"),
  ]);
});

test("an abort does not lose a result that had come from outside", async () => {
  const provider = scriptedProvider([]);

  const turn = await resume({
    provider,
    tools: [remoteTool()],
    messages: historyWith(called("k1", "remote")),
    journal: {
      open: [{ toolCallId: "k1", state: "settled", result: { isError: false, output: "picked" } }],
    },
    signal: AbortSignal.abort(),
  });

  expect(turn.finishReason).toBe("aborted");
  expect(resultsOf(turn)).toEqual(["picked"]);
});

import type { Usage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { addTo, ended, foldOf, input, started, says, suspended, waits } from "./fold-of.ts";
import type { Written } from "./fold-of.ts";

const running = [input("t1"), started("t1", "t1")];
const attempt: Written = { type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "a1" };

function attemptEnded(more: {
  readonly usage?: Usage;
  readonly model?: string;
  readonly priceId?: string;
  readonly cost?: number;
}): Written {
  return {
    type: "attempt_ended",
    turnId: "t1",
    step: 1,
    attempt: 1,
    outcome: "completed",
    ...more,
  };
}

test("what no provider reported is unknown, not zero", () => {
  const fold = foldOf(...running, attempt, attemptEnded({}));

  expect(fold.usage.total).toEqual({ unreportedAttempts: 1 });
});

test("a reported zero is a zero", () => {
  const fold = foldOf(...running, attempt, attemptEnded({ usage: { inputTokens: 0 } }));

  expect(fold.usage.total).toEqual({ inputTokens: 0 });
});

test("every attempt counts, the one that a process died in as an unreported one", () => {
  const fold = foldOf(
    ...running,
    attempt,
    attemptEnded({ usage: { inputTokens: 3 } }),
    attempt,
    { type: "turn_resumed", turnId: "t1", epoch: 2 },
    attempt,
    attemptEnded({ usage: { inputTokens: 4 } }),
  );

  expect(fold.usage.total).toEqual({ inputTokens: 7, unreportedAttempts: 1 });
  expect(fold.turn?.usage).toEqual(fold.usage.total);
  expect(fold.turn?.prior(true)).toMatchObject({ attempts: 3, usage: fold.usage.total });
});

test("an attempt that said nothing and then lost its process is void once, and counted once", () => {
  const resumed: Written = { type: "turn_resumed", turnId: "t1", epoch: 2 };
  const fold = foldOf(...running, attempt, attemptEnded({ usage: { inputTokens: 3 } }));
  expect(fold.turn?.underWay).toMatchObject({ state: "silent" });

  addTo(fold, resumed);
  expect(fold.turn?.underWay).toEqual({
    step: 1,
    attempt: 1,
    state: "over",
  });

  addTo(fold, resumed);
  expect(fold.usage.total).toEqual({ inputTokens: 3 });
});

test("what a tool and a compaction spent counts, and nothing if they report nothing", () => {
  const result = { isError: false, output: "" };
  const told = { turnId: "t1", step: 1, toolCallId: "c1", toolName: "ask", result };
  const compacted = {
    type: "compaction",
    turnId: "t1",
    through: "m",
    summary: "",
    before: 9,
    after: 1,
  } as const;
  const fold = foldOf(
    ...running,
    { type: "tool_result", ...told, usage: { outputTokens: 7 } },
    { type: "tool_result", ...told },
    { ...compacted, usage: { outputTokens: 5 } },
    compacted,
  );

  expect(fold.usage.total).toEqual({ outputTokens: 12 });
});

test("usage is kept apart by model and price, with the cost if it was recorded", () => {
  const fold = foldOf(
    ...running,
    attemptEnded({ usage: { inputTokens: 1 }, model: "small", priceId: "p1", cost: 2 }),
    attemptEnded({ usage: { inputTokens: 2 }, model: "small", priceId: "p1", cost: 3 }),
    attemptEnded({ usage: { inputTokens: 4 }, model: "large" }),
  );

  expect(fold.usage.priced).toEqual([
    { model: "small", priceId: "p1", usage: { inputTokens: 3 }, cost: 5 },
    { model: "large", usage: { inputTokens: 4 } },
  ]);
});

test("a fork does not count again what it has copied", () => {
  const fold = foldOf(
    ...running,
    attemptEnded({ usage: { inputTokens: 9 }, model: "small" }),
    ended("t1"),
    { type: "forked_from", sessionId: "other", throughSeq: 4 },
  );
  expect(fold.usage.total).toEqual({});
  expect(fold.usage.priced).toEqual([]);

  addTo(fold, attemptEnded({ usage: { inputTokens: 1 } }));

  expect(fold.usage.total).toEqual({ inputTokens: 1 });
});

test("a turn that continues another counts its own usage, and goes on with the progress of the chain", () => {
  const pending = waits("c1");
  const fold = foldOf(
    ...suspended(pending),
    { type: "turn_started", turnId: "t1__2", input: [], continues: "t1", at: 500 },
    attemptEnded({ usage: { inputTokens: 2 } }),
  );

  expect(fold.turn?.usage).toEqual({ inputTokens: 2 });
  expect(fold.turn?.prior(false)).toEqual({
    steps: 1,
    attempts: 1,
    usage: { inputTokens: 2, unreportedAttempts: 1 },
    startedAt: 0,
    isResumed: false,
    attemptsInStep: 0,
  });
});

test("a turn that continues none starts from nothing", () => {
  const fold = foldOf(
    ...running,
    attempt,
    attemptEnded({}),
    ended("t1"),
    input("t2"),
    started("t2", "t2"),
  );

  expect(fold.turn?.prior(false)).toMatchObject({ steps: 0, attempts: 0, usage: {} });
});

test("a session is called what its user said first, on one line and not too long", () => {
  expect(foldOf(input("t1", "  Fix\n the   test "), started("t1", "t1")).title).toBe(
    "Fix the test",
  );
  expect(foldOf(input("t1", "Just sent")).title).toBe("Just sent");
  const long = foldOf(input("t1", "word ".repeat(100)), started("t1", "t1")).title ?? "";
  expect(long).toMatch(/…$/);
  expect(long.length).toBeLessThanOrEqual(80);
});

test("only the beginning of a long message is looked at for the title", () => {
  const text = `${" ".repeat(5_000)}Fix it${" ".repeat(5_000)}soon`;

  expect(foldOf(input("t1", text)).title).toBe("Fix it");
});

test("of a message with several texts the first one is the title", () => {
  const texts = ["  ", "Explain this", "<file>"].map((text) => ({ type: "text", text }) as const);
  const messages = [{ ...says("m"), content: texts }];

  expect(foldOf({ type: "input", id: "t1", messages }).title).toBe("Explain this");
});

test("a later message does not change the title, and a message without text gives none", () => {
  const picture = { type: "image", mediaType: "image/png", data: "" } as const;
  const wordless: Written = {
    type: "input",
    id: "t0",
    messages: [{ ...says("m"), content: [picture] }],
  };
  const fold = foldOf(wordless, started("t0", "t0"), ended("t0"));
  expect(fold.title).toBeUndefined();

  addTo(
    fold,
    input("t1", "First"),
    started("t1", "t1"),
    ended("t1"),
    input("t2", "Second"),
    started("t2", "t2"),
  );

  expect(fold.title).toBe("First");
});

test("a given title takes precedence over a generated one, and the newest over an older one", () => {
  const fold = foldOf(
    { type: "created", agent: "helper", title: "Given" },
    input("t1"),
    started("t1", "t1"),
  );
  expect(fold.title).toBe("Given");

  addTo(
    fold,
    { type: "config", config: { title: "Changed" } },
    { type: "config", config: { model: "m" } },
  );

  expect(fold.title).toBe("Changed");
  expect(fold.config).toEqual({ title: "Changed", model: "m" });
});

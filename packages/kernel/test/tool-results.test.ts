import type { JsonValue, ToolContract, ToolExecutionEvent, ToolReturn } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { factsOfType, keepDiary } from "./diary.ts";
import { problemsOf } from "./turn-problems.ts";

type Execute = NonNullable<ToolContract["execute"]>;

/** A turn in which a tool is called once. */
function runTool(
  tool: Partial<ToolContract>,
  options: Partial<RunToEndOptions> = {},
): Promise<FinishedTurn> {
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  return runToEnd({ provider, tools: [{ ...echoTool(), ...tool }], ...options });
}

function returning(value: ToolReturn): Partial<ToolContract> {
  return { execute: () => value };
}

function streaming(...events: readonly ToolExecutionEvent[]): { readonly execute: Execute } {
  return {
    execute: async function* () {
      yield* events;
    },
  };
}

const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;

test.each<[string, ToolReturn, JsonValue]>([
  ["a string is given as it is", "sunny", "sunny"],
  ["an object is given as JSON", { sky: "blue" }, '{"sky":"blue"}'],
  ["a number is given as JSON", 42, "42"],
  ["null is given as JSON", null, "null"],
  ["a list that is no list of parts is given as JSON", [1, 2], "[1,2]"],
  ["an empty list is given as JSON", [], "[]"],
  ["nothing is said to be nothing", undefined, "(no output)"],
  [
    "parts are given as parts",
    [{ type: "text", text: "see" }, image],
    [{ type: "text", text: "see" }, image],
  ],
  ["empty texts among parts are left out", [{ type: "text", text: "" }, image], [image]],
  ["parts that are all empty are said to be nothing", [{ type: "text", text: "" }], "(no output)"],
  ["of an envelope the message is given", { ok: true, outputMessage: "booked" }, "booked"],
])("%s", async (_, value, content) => {
  const turn = await runTool(returning(value));

  expect(turn.messages[1]).toMatchObject({ role: "tool", isError: false, content });
  expect(problemsOf(turn)).toEqual([]);
});

test("details and meta of an envelope are kept beside what the model sees", async () => {
  const turn = await runTool(
    returning({ ok: true, outputMessage: "booked", details: { seat: 4 }, meta: { ms: 7 } }),
  );

  expect(turn.messages[1]).toMatchObject({
    content: "booked",
    details: { seat: 4 },
    meta: { ms: 7 },
  });
  expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ details: { seat: 4 } }]);
});

test("an envelope that is not ok is an error result, and says something in any case", async () => {
  const turn = await runTool(returning({ ok: false, outputMessage: "" }));

  expect(turn.messages[1]).toMatchObject({ isError: true, content: expect.stringMatching(/./) });
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, Execute]>([
  [
    "throws",
    () => {
      throw new Error("no network");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no network"))],
  [
    "throws something that is no error",
    () => {
      // eslint-disable-next-line typescript/only-throw-error -- tools of others do
      throw "no network";
    },
  ],
])("a tool that %s gives an error result, and the turn goes on", async (_, execute) => {
  const turn = await runTool({ execute });

  expect(turn.messages[1]).toMatchObject({ isError: true, content: "no network" });
  expect(turn.finishReason).toBe("stop");
  expect(problemsOf(turn)).toEqual([]);
});

test("a number that is too big for JSON is an error result", async () => {
  const turn = await runTool(returning({ big: 1n }));

  expect(turn.messages[1]).toMatchObject({ isError: true });
  expect(problemsOf(turn)).toEqual([]);
});

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

test.each<[string, Partial<ToolContract>]>([
  ["a big integer", returning({ ok: true, outputMessage: "PAID", details: { amount: 5n } })],
  ["a cycle", returning({ ok: true, outputMessage: "PAID", details: cyclic })],
  ["meta with a big integer", returning({ ok: true, outputMessage: "PAID", meta: { at: 5n } })],
  ["a big integer in a stream", streaming({ type: "complete", output: "PAID", details: 5n })],
])("details that are not JSON (%s) do not turn a success into a failure", async (_, tool) => {
  const turn = await runTool(tool);

  const message = turn.messages[1];
  expect(message).toMatchObject({ isError: false, content: "PAID" });
  expect(message).toSatisfy((shown) => /not JSON/.test(JSON.stringify(shown)));
  expect(problemsOf(turn)).toEqual([]);
});

test.each<[string, unknown, RegExp]>([
  [
    "a misspelled message",
    { ok: true, outputMesage: "m", details: "SECRET" },
    /`outputMessage`.*missing/,
  ],
  ["no ok", { outputMessage: "m", details: "SECRET" }, /`ok`.*missing/],
  [
    "a message of the wrong type",
    { ok: true, outputMessage: 42, details: "SECRET" },
    /`outputMessage`.*number/,
  ],
  ["an ok of the wrong type", { ok: "yes", outputMessage: "m", meta: "SECRET" }, /`ok`.*string/],
  ["only ok and meta", { ok: true, meta: "SECRET" }, /`outputMessage`.*missing/],
])(
  "an envelope with %s is an error result that names the field and hides the details",
  async (_, value, named) => {
    // Only untyped tools can return these.
    const turn = await runTool(returning(value as ToolReturn));

    const message = turn.messages[1];
    expect(message).toMatchObject({ isError: true, content: expect.stringMatching(named) });
    expect(JSON.stringify(turn.messages)).not.toContain("SECRET");
    expect(problemsOf(turn)).toEqual([]);
  },
);

test.each<[string, unknown, RegExp]>([
  ["an error", new Error("no network"), /^no network$/],
  ["a map", new Map([["a", 1]]), /a Map has no JSON form/],
  ["a set", new Set([1]), /a Set has no JSON form/],
  ["a function", () => 1, /a function has no JSON form/],
])("%s as a return value is an error result that says so", async (_, value, said) => {
  const turn = await runTool({ execute: () => value as ToolReturn });

  expect(turn.messages[1]).toMatchObject({ isError: true, content: expect.stringMatching(said) });
});

test("strings that a tool yields are its deltas", async () => {
  const turn = await runTool({
    execute: async function* () {
      yield "a";
      yield "b";
    },
  });

  const deltas = turn.recorder.ofType("tool_execution_delta").map((event) => event.delta);
  expect(deltas).toEqual(["a", "b"]);
  expect(turn.messages[1]).toMatchObject({ isError: false, content: "ab" });
});

test.each<[string, unknown]>([
  ["a number", 42],
  ["null", null],
  ["an object without a type", { text: "a" }],
  ["a delta that is no string", { type: "delta", delta: 4 }],
])("a tool that yields %s is told what to yield", async (_, value) => {
  const turn = await runTool(streaming(value as ToolExecutionEvent));

  const said = expect.stringContaining('must yield strings, { type: "delta", delta }');
  expect(turn.messages[1]).toMatchObject({ isError: true, content: said });
});

test("deltas of a stream are shown as they come, and its completion is what the model gets", async () => {
  const turn = await runTool(
    streaming(
      { type: "delta", delta: "a" },
      { type: "delta", delta: "b" },
      { type: "complete", output: "all", details: { count: 2 } },
    ),
  );

  expect(turn.recorder.ofType("tool_execution_delta").map((event) => event.delta)).toEqual([
    "a",
    "b",
  ]);
  expect(turn.messages[1]).toMatchObject({ isError: false, content: "all", details: { count: 2 } });
  expect(problemsOf(turn)).toEqual([]);
});

test("a stream without completion has said what its deltas said", async () => {
  const turn = await runTool(
    streaming({ type: "delta", delta: "a" }, { type: "delta", delta: "b" }),
  );

  expect(turn.messages[1]).toMatchObject({ isError: false, content: "ab" });
});

test("a stream that says nothing at all is an error result", async () => {
  const turn = await runTool(streaming());

  expect(turn.messages[1]).toMatchObject({ isError: true, content: expect.stringMatching(/./) });
});

test("a stream may complete as an error, and one without a word says so", async () => {
  const turn = await runTool(streaming({ type: "complete", output: "", isError: true }));

  expect(turn.messages[1]).toMatchObject({ isError: true, content: expect.stringMatching(/./) });
  expect(problemsOf(turn)).toEqual([]);
});

test("a stream that breaks is an error result", async () => {
  const turn = await runTool({
    execute: async function* () {
      yield { type: "delta", delta: "a" };
      throw new Error("it broke");
    },
  });

  expect(turn.messages[1]).toMatchObject({ isError: true, content: "it broke" });
  expect(problemsOf(turn)).toEqual([]);
});

test("a stream is left once it has completed", async () => {
  const log: string[] = [];

  await runTool({
    execute: async function* () {
      try {
        yield { type: "complete", output: "all" };
        log.push("went on");
      } finally {
        log.push("left");
      }
    },
  });

  expect(log).toEqual(["left"]);
});

test("progress is shown while the call runs, and ignored once it has settled", async () => {
  const tool = deferredTool();
  const provider = scriptedProvider([callTool("deferred"), say("Done")]);

  const running = runToEnd({ provider, tools: [tool] });
  const [call] = await tool.whenStarted();
  call?.context.update("half");
  call?.context.update("");
  tool.resolve("id-2", "done");
  await manualClock().advance(0);
  call?.context.update("late");
  const turn = await running;

  expect(turn.recorder.ofType("tool_execution_delta").map((event) => event.delta)).toEqual([
    "half",
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("what a tool spent on models of its own is counted, until it has settled", async () => {
  const { facts, hooks } = keepDiary();
  const gate = Promise.withResolvers<undefined>();
  const tool = deferredTool();
  const provider = scriptedProvider([callTool("deferred"), say("Done")], {
    usage: { inputTokens: 10, outputTokens: 1 },
  });

  const running = runToEnd({
    provider,
    tools: [tool],
    journal: hooks.journal,
    dispatch: { after: () => gate.promise },
  });
  const [call] = await tool.whenStarted();
  call?.context.usage({ inputTokens: 100 });
  call?.context.usage({ inputTokens: 50, reasoningTokens: 5 });
  call?.context.usage({ inputTokens: Number.NaN, outputTokens: -5 }, Number.NaN);
  tool.resolve("id-2", "done");
  await manualClock().advance(0);
  call?.context.usage({ inputTokens: 1_000 });
  gate.resolve(undefined);
  const turn = await running;

  expect(turn.usage).toEqual({ inputTokens: 170, outputTokens: 2, reasoningTokens: 5 });
  expect(factsOfType(facts, "tool_result")).toMatchObject([
    { usage: { inputTokens: 150, reasoningTokens: 5 } },
  ]);
});

test("a batch whose calls all succeed and end the turn ends it, and one of them alone does not", async () => {
  const done = echoTool({ name: "done", isTerminal: true });
  const every = scriptedProvider([reply(callTool("done"), callTool("done"))]);
  const some = scriptedProvider([reply(callTool("done"), callTool("echo")), say("More")]);

  const ended = await runToEnd({ provider: every, tools: [done] });
  const goneOn = await runToEnd({ provider: some, tools: [done, echoTool()] });

  expect(ended.finishReason).toBe("stop");
  expect(every.requests).toHaveLength(1);
  expect(goneOn.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  expect(some.requests).toHaveLength(2);
});

test("a tool that ends the turn does not end it by failing", async () => {
  const turn = await runTool({ isTerminal: true, execute: () => Promise.reject(new Error("no")) });

  expect(turn.messages.at(-1)).toMatchObject({ role: "assistant" });
});

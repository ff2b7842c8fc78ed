import { defineTool, fail, ok } from "@capstan/core";
import type { OpenCall } from "@capstan/kernel";
import { callTool, manualClock, reply, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { runTool } from "./run-tool.ts";

const base = { name: "weather", description: "Weather of a city" } as const;
const city = z.object({ city: z.string() });

test("a tool gets the output of its schema: defaults are in, transforms are done", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    ...base,
    input: z.object({ day: z.string().transform((text) => text.length), days: z.int().default(3) }),
    execute: (input) => void seen.push(input),
  });

  await runTool(tool, { day: "Monday" });

  expect(seen).toEqual([{ day: 6, days: 3 }]);
});

test("input that does not fit is told to the model, and the tool does not run", async () => {
  let runs = 0;
  const tool = defineTool({ ...base, input: city, execute: () => `run ${++runs}` });

  const turn = await runTool(tool, { city: 7 });

  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content:
      'Not run: invalid input for "weather". city: Invalid input: expected string, received number',
  });
  expect(turn.finishReason).toBe("stop");
  expect(runs).toBe(0);
});

test("a refinement may take its time", async () => {
  const known = z.object({
    city: z.string().refine(async (name) => name === "Oslo", "No such city"),
  });
  const tool = defineTool({ ...base, input: known, execute: ({ city }) => `Rain in ${city}` });

  const [oslo, rome] = [await runTool(tool), await runTool(tool, { city: "Rome" })];

  expect(oslo.messages[1]).toMatchObject({ isError: false, content: "Rain in Oslo" });
  expect(rome.messages[1]).toMatchObject({ isError: true });
  expect(JSON.stringify(rome.messages[1])).toContain("city: No such city");
});

test.each<[string, () => never | Promise<never>]>([
  [
    "throws",
    () => {
      throw new Error("out of order");
    },
  ],
  ["rejects", () => Promise.reject(new Error("out of order"))],
])("a schema that %s gives an error result, and the turn goes on", async (_, validate) => {
  const jsonSchema = { input: () => ({ type: "object" }) };
  const input = { "~standard": { version: 1, vendor: "foreign", validate, jsonSchema } } as const;

  const turn = await runTool(defineTool({ ...base, input, execute: () => "ran" }));

  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining("the input cannot be checked: out of order"),
  });
  expect(turn.finishReason).toBe("stop");
});

test.each<[string, () => unknown, string]>([
  [
    "throws",
    () => {
      throw new Error("no network");
    },
    "no network",
  ],
  ["rejects", () => Promise.reject(new TypeError("bad gateway")), "bad gateway"],
  [
    "throws what is no error",
    () => {
      // eslint-disable-next-line typescript/only-throw-error -- what a tool throws is not ours to choose
      throw "just a text";
    },
    "just a text",
  ],
])("a tool that %s gives an error result that the model can read", async (_, execute, content) => {
  const tool = defineTool({ ...base, input: city, execute: () => execute() as string });

  const turn = await runTool(tool);

  expect(turn.messages[1]).toMatchObject({ role: "tool", isError: true, content });
  expect(turn.finishReason).toBe("stop");
});

test("a tool may stream: deltas go to readers, what it completes with goes to the model", async () => {
  const tool = defineTool({
    ...base,
    input: city,
    async *execute({ city }) {
      yield { type: "delta", delta: `Looking at ${city}` };
      yield { type: "complete", output: "Rain", details: { mm: 4 } };
    },
  });

  const turn = await runTool(tool);

  const deltas = turn.recorder.ofType("tool_execution_delta").map((event) => event.delta);
  expect(deltas).toEqual(["Looking at Oslo"]);
  expect(turn.messages[1]).toMatchObject({ content: "Rain", details: { mm: 4 } });
});

test("a tool may answer with text and images", async () => {
  const parts = [
    { type: "text", text: "The radar" },
    { type: "image", mediaType: "image/png", data: "AAAA" },
  ] as const;

  const turn = await runTool(defineTool({ ...base, input: city, execute: () => parts }));

  expect(turn.messages[1]).toMatchObject({ isError: false, content: parts });
});

test("of an envelope the model sees the message; the details are for user interfaces", async () => {
  const good = defineTool({ ...base, input: city, execute: () => ok("Rain", { mm: 4 }) });
  const bad = defineTool({ ...base, input: city, execute: () => fail("No such city") });

  const turns = [await runTool(good), await runTool(bad)];

  expect(turns[0]?.messages[1]).toMatchObject({
    isError: false,
    content: "Rain",
    details: { mm: 4 },
  });
  expect(turns[1]?.messages[1]).toMatchObject({ isError: true, content: "No such city" });
});

test("a tool without execute suspends the turn, but only for input that fits", async () => {
  const tool = defineTool({ ...base, input: city, answerWithinMs: 500 });

  const fitting = await runTool(tool, { city: "Oslo" }, { now: manualClock().now });
  const wrong = await runTool(tool, {});

  expect(fitting).toMatchObject({
    finishReason: "tool-calls",
    pending: [{ kind: "execution", toolName: "weather", input: { city: "Oslo" } }],
  });
  expect(fitting.pending?.[0]?.deadlineAt).toBeTypeOf("number");
  expect(wrong).toMatchObject({ finishReason: "stop" });
});

test("whether a call needs approval may depend on what the model sent", async () => {
  const book = defineTool({
    name: "book",
    description: "Books a table",
    input: z.object({ people: z.string().transform(Number) }),
    needsApproval: ({ people }) => people === "100",
    execute: ({ people }) => `Booked for ${people + 1}`,
  });

  const small = await runTool(book, { people: "2" });
  const large = await runTool(book, { people: "100" });

  expect(small.messages[1]).toMatchObject({ content: "Booked for 3" });
  expect(large.pending).toMatchObject([{ kind: "approval", input: { people: "100" } }]);
});

test("an approved call gets the output of its schema like any other", async () => {
  const input = z.object({ people: z.string().transform(Number) });
  const book = defineTool({
    name: "book",
    description: "Books a table",
    input,
    needsApproval: true,
    execute: ({ people }) => people + 1,
  });
  const provider = scriptedProvider([callTool("book", { people: "4" }), say("Done")]);
  const asked = await runToEnd({ provider, tools: [book] });

  const open = asked.open?.map((call): OpenCall => ({
    toolCallId: call.toolCallId,
    state: "approved",
  }));
  const done = await runToEnd({
    provider,
    tools: [book],
    messages: asked.transcript,
    journal: { prior: asked.progress, open: open ?? [] },
  });

  expect(done.messages[0]).toMatchObject({ role: "tool", content: "5", isError: false });
});

test("terminate ends the turn after a successful call, and not after a failed one", async () => {
  const submit = defineTool({ ...base, input: city, terminate: true, execute: () => "ok" });

  const good = await runTool(submit);
  const failed = await runTool(submit, {});

  expect(good.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
  expect(failed.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
});

test("after a crash a tool is asked what became of its call", async () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    input: z.object({}),
    execute: () => "paid twice",
    reconcile: (key, { idempotencyKey }) => ({
      outcome: "done",
      output: `paid once, by ${key} and ${idempotencyKey}`,
    }),
  });
  const call = { type: "tool_call", id: "call1", name: "pay", input: {} } as const;
  const question = { role: "user", id: "u1", content: "Pay" } as const;
  const crashed = {
    role: "assistant",
    id: "a1",
    content: [call],
    stopReason: "tool-calls",
  } as const;

  const turn = await runToEnd({
    provider: scriptedProvider([say("Done")]),
    tools: [pay],
    messages: [question, crashed],
    journal: { open: [{ toolCallId: "call1", state: "started", key: "key-1" }] },
  });

  expect(turn.messages[0]).toMatchObject({
    role: "tool",
    content: "paid once, by key-1 and key-1",
  });
});

test("several tools run side by side on their own inputs", async () => {
  const length = defineTool({
    name: "length",
    description: "Length of a text",
    input: z.object({ text: z.string() }),
    execute: ({ text }) => text.length,
  });
  const double = defineTool({
    name: "double",
    description: "Twice a number",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    execute: ({ n }) => Number(n) * 2,
  });
  const calls = reply(callTool("length", { text: "four" }), callTool("double", { n: 4 }));

  const turn = await runToEnd({
    provider: scriptedProvider([calls, say("Done")]),
    tools: [length, double],
  });

  expect(turn.messages.slice(1, 3)).toMatchObject([{ content: "4" }, { content: "8" }]);
});

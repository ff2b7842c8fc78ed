/** Calls that their own tools suspend: the turn ends, and the tool runs again when its questions are answered. */
import { defineTool, suspend } from "@capstan/core";
import type { Resumption } from "@capstan/core";
import { assertValidTranscript, callTool, echoTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

interface AskingTool {
  readonly tool: ReturnType<typeof defineTool>;
  /** What each run was resumed with; undefined for the first run. */
  readonly runs: (Resumption | undefined)[];
}

/** Asks for a name, then for an approval, then answers. */
function askingTool(effect: "pure" | "idempotent" | "at-most-once" = "at-most-once"): AskingTool {
  const runs: (Resumption | undefined)[] = [];
  const tool = defineTool({
    name: "asking",
    description: "Asks before it answers",
    input: z.object({ city: z.string() }),
    effect,
    execute({ city }, { resumed, usage }) {
      runs.push(resumed);
      usage({ inputTokens: 10 });
      if (resumed === undefined) {
        const form = { fields: ["name"], city };
        return suspend({ questions: [{ kind: "execution", input: form }], state: { asked: 1 } });
      }
      const [answer] = resumed.answers;
      if (answer?.state === "settled") {
        const question = { kind: "approval", input: { name: answer.result.output as string } };
        return suspend({ questions: [question as never], state: { asked: 2 } });
      }
      return `${answer?.state} in ${city}`;
    },
  });
  return { tool, runs };
}

function askingWorld(effect?: "pure" | "idempotent" | "at-most-once"): AskingTool & World {
  const asking = askingTool(effect);
  const world = createWorld([callTool("asking", { city: "Oslo" }), say("Done")], [asking.tool]);
  return { ...world, ...asking };
}

test("a suspended call is pending with its question, and runs again with the answer", async () => {
  const { host, runs } = askingWorld();
  const session = host().createSession({ agent: "helper" });

  const first = await session.send("Go").response;
  const [form] = session.pendingToolCalls;
  const second = await session.send([{ toolCallId: form?.toolCallId ?? "", output: "Ada" }])
    .response;
  const [approval] = session.pendingToolCalls;
  const third = await session.approve(approval ?? "").response;

  expect(first).toMatchObject({ status: "awaiting_tool_execution" });
  expect(form).toMatchObject({ kind: "execution", input: { fields: ["name"], city: "Oslo" } });
  expect(second).toMatchObject({ status: "awaiting_tool_execution" });
  expect(approval).toMatchObject({ kind: "approval", input: { name: "Ada" } });
  expect(third).toMatchObject({ status: "completed", text: "Done" });
  expect(session.messages[2]).toMatchObject({ role: "tool", content: "approved in Oslo" });
  expect(runs).toMatchObject([
    undefined,
    { state: { asked: 1 }, answers: [{ state: "settled", result: { output: "Ada" } }] },
    { state: { asked: 2 }, answers: [{ state: "approved" }] },
  ]);
  // Tokens that the tool spent in each of its runs.
  expect(session.usage.inputTokens).toBe(30);
  assertValidTranscript(session.messages);
});

test("another process runs the tool again, with the state and the answers from the log", async () => {
  const world = askingWorld();
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;
  const [form] = session.pendingToolCalls;
  await session.close();

  const elsewhere = await world.host().open(session.id);
  expect(elsewhere.pendingToolCalls).toEqual([form]);
  await elsewhere.send([{ toolCallId: form?.toolCallId ?? "", output: "Ada" }]).response;

  expect(world.runs[1]).toMatchObject({ state: { asked: 1 } });
  expect(elsewhere.pendingToolCalls).toMatchObject([{ input: { name: "Ada" } }]);
});

test.each([
  ["at-most-once", "outcome is unknown", 1],
  ["idempotent", "approved in Oslo", 3],
] as const)(
  "a crash in a resumed run of a tool that is %s is settled by its effect",
  async (effect, output, runCount) => {
    const world = askingWorld(effect);
    const process = mortal(world.repository);
    const doomed = world.host({ repository: process.repository });
    const session = doomed.createSession({ agent: "helper" });
    await session.send("Go").response;
    const [form] = session.pendingToolCalls;
    // The process dies with the intent of the second run in the log, and without its outcome.
    process.dieAfter("tool_intent");
    session.send([{ toolCallId: form?.toolCallId ?? "", output: "Ada" }]);
    await world.clock.advance(0);

    const elsewhere = await world.host().open(session.id);
    await world.clock.advance(32_000);
    if (effect === "idempotent") {
      await elsewhere.approve(elsewhere.pendingToolCalls[0] ?? "").response;
    }

    expect(elsewhere.messages[2]).toMatchObject({ content: expect.stringContaining(output) });
    expect(world.runs).toHaveLength(runCount);
    assertValidTranscript(elsewhere.messages);
  },
);

test("a suspended call that is not answered in time runs again, and learns that", async () => {
  const runs: unknown[] = [];
  const tool = defineTool({
    name: "asking",
    description: "Asks",
    input: z.object({}),
    answerWithinMs: 5_000,
    execute(_, { resumed }) {
      runs.push(resumed?.answers);
      if (resumed !== undefined) return "Gave up";
      return suspend({ questions: [{ kind: "execution", input: {} }], state: null });
    },
  });
  const world = createWorld([callTool("asking"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  await world.clock.advance(7_000);

  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(runs[1]).toMatchObject([{ result: { isError: true, output: /not answered in time/ } }]);
});

test("a call that sleeps runs again at its time, in whichever process", async () => {
  const tool = defineTool({
    name: "sleeper",
    description: "Sleeps",
    input: z.object({}),
    execute: (_, { resumed }) =>
      resumed === undefined ? suspend({ questions: [], state: 1, wakeAt: 60_000 }) : "Awake",
  });
  const world = createWorld([callTool("sleeper"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const response = await session.send("Go").response;
  await session.close();

  world.host();
  await world.clock.advance(50_000);
  const before = world.entries(session.id).length;
  await world.clock.advance(12_000);

  expect(response).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: [] });
  expect(world.entries(session.id).length).toBeGreaterThan(before);
  const elsewhere = await world.host().open(session.id);
  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test("other calls of the step run to their end, and their results are kept", async () => {
  const asking = askingTool();
  const echo = echoTool();
  const calls = reply(callTool("asking", { city: "Oslo" }), callTool("echo", { n: 1 }));
  const world = createWorld([calls, say("Done")], [asking.tool, echo]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Go").response;
  const [form] = session.pendingToolCalls;
  await session.send([{ toolCallId: form?.toolCallId ?? "", output: "Ada" }]).response;
  await session.deny(session.pendingToolCalls[0] ?? "", "No").response;

  expect(echo.started).toHaveLength(1);
  expect(session.messages.slice(2, 4)).toMatchObject([
    { content: "denied in Oslo" },
    { toolName: "echo" },
  ]);
});

test("an abort ends a suspended call without another run", async () => {
  const { host, runs } = askingWorld();
  const session = host().createSession({ agent: "helper" });
  await session.send("Go").response;

  await session.abort();
  await session.waitForIdle();

  expect(runs).toHaveLength(1);
  expect(session.pendingToolCalls).toEqual([]);
  expect(session.messages[2]).toMatchObject({ role: "tool", isError: true });
  assertValidTranscript(session.messages);
});

test("a message that settles what is pending resumes the call with a refusal", async () => {
  const { host, runs } = askingWorld();
  const session = host().createSession({ agent: "helper" });
  await session.send("Go").response;

  const response = await session.send("Never mind", { ifPending: "settle" }).response;

  expect(runs[1]).toMatchObject({ answers: [{ result: { isError: true } }] });
  // The tool asked again, for an approval.
  expect(response).toMatchObject({ status: "awaiting_tool_execution" });
});

test.each([
  [{ questions: [], state: null }, "needs `wakeAt` or `reports`"],
  [{ state: null }, "must be a list"],
  [{ questions: [{ kind: "form", input: {} }], state: null }, '"execution" or "approval"'],
  [{ questions: [], state: null, wakeAt: Number.NaN }, "finite number"],
])("a suspension that could never be resumed is an error result: %j", async (request, message) => {
  const tool = defineTool({
    name: "broken",
    description: "Suspends wrongly",
    input: z.object({}),
    // As JavaScript would.
    execute: () => suspend(request as never),
  });
  const world = createWorld([callTool("broken"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ status: "completed" });
  expect(session.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringContaining(message),
  });
});

import {
  assertValidTranscript,
  callTool,
  checkEvents,
  deferredTool,
  echoTool,
  remoteTool,
  reply,
  say,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const twoCalls = [callTool("remote", { n: 1 }), callTool("remote", { n: 2 })];

test("a remote call suspends the turn, and its answer goes on in a turn that continues it", async () => {
  const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello", { id: "t1" }).response;

  const turn = session.send([
    { toolCallId: pendingToolCalls[0]?.toolCallId ?? "", output: "picked" },
  ]);

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  expect(turn.id).toBe("t1__2");
  expect(session.messages[2]).toMatchObject({ role: "tool", content: "picked", isError: false });
  assertValidTranscript(session.messages);
});

test.each(["tool", "toolResult"] as const)(
  "a message with the role %s is an answer",
  async (role) => {
    const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Hello").response;
    const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";

    const turn = session.send([{ role, toolCallId, toolName: "remote", content: "picked" }]);

    await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
    expect(session.messages[2]).toMatchObject({ role: "tool", content: "picked", isError: false });
  },
);

test("a tool message that names no call is told the form of an answer", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const { error } = await session.send([{ role: "tool", content: "picked" }] as never).response;

  expect(error).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("send { toolCallId, output }"),
  });
});

test("a suspended session holds no lease and is not due", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.waitForIdle();

  const claims = world.repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1_000 });

  expect(claims).toEqual([]);
  expect(world.repository.acquire(session.id, "x", 1_000)).toBeDefined();
});

test("partial answers accumulate: the turn goes on when the last is there", async () => {
  const world = createWorld([twoCalls, say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const [first, second] = pendingToolCalls.map((call) => call.toolCallId);

  const partial = await session.send([
    { toolCallId: second ?? "", isError: true, output: "broken" },
  ]).response;
  const whole = await session.send([{ toolCallId: first ?? "", output: "picked" }]).response;

  expect(partial).toMatchObject({
    status: "awaiting_tool_execution",
    pendingToolCalls: [{ toolCallId: first }],
  });
  expect(whole).toMatchObject({ status: "completed" });
  expect(session.messages.slice(2, 4)).toMatchObject([
    { content: "picked" },
    { content: "broken", isError: true },
  ]);
});

test("an answer that comes while local calls of the step still run is taken by the same turn", async () => {
  const tool = deferredTool();
  const world = createWorld(
    [[callTool("remote"), callTool("deferred")], say("Done")],
    [remoteTool(), tool],
  );
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello", { id: "t1" });
  const [call] = await tool.whenStarted();
  const [pending] = session.pendingToolCalls;

  const answered = session.send([{ toolCallId: pending?.toolCallId ?? "", output: "early" }]);
  await world.clock.advance(0);
  tool.resolve(call?.toolCallId ?? "", "local");

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  await expect(answered.response).resolves.toMatchObject({ status: "completed" });
  expect(world.entries(session.id).filter((entry) => entry.type === "turn_started")).toHaveLength(
    1,
  );
});

test("of two answers the first counts", async () => {
  const world = createWorld([twoCalls, say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const [first = "", second = ""] = pendingToolCalls.map((call) => call.toolCallId);
  await session.send([{ toolCallId: first, output: "one" }]).response;

  const repeated = await session.send([{ toolCallId: first, output: "two" }]).response;
  await session.send([{ toolCallId: second, output: "three" }]).response;

  expect(repeated).toMatchObject({ status: "awaiting_tool_execution" });
  expect(session.messages[2]).toMatchObject({ content: "one" });
});

test("an answer with a misspelled field is refused instead of counting as a success", async () => {
  const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const misspelled = { toolCallId: pendingToolCalls[0]?.toolCallId ?? "", ok: false, output: "no" };

  const { error } = await session.send([misspelled]).response;

  expect(error).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining('Unknown field "ok"'),
  });
  expect(session.pendingToolCalls).toHaveLength(1);
});

test.each([
  ["an answer to a call that does not wait", { toolCallId: "nothing", output: "" }, "not_pending"],
  [
    "a decision about a call that needs a result",
    { toolCallId: "t1_1_0", hash: "x", approved: true },
    "wrong_kind",
  ],
])("%s is refused", async (_, answer, code) => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello", { id: "t1" }).response;

  const response = await session.send([answer]).response;

  expect(response).toMatchObject({ status: "error", error: { code } });
  expect(session.status).toBe("awaiting_tool_execution");
});

test("an approval runs exactly what was approved, in whichever process, and a forged one runs nothing", async () => {
  const tool = echoTool({ needsApproval: true });
  const world = createWorld([callTool("echo", { text: "rm" }), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const { toolCallId = "", hash = "" } = pendingToolCalls[0] ?? {};

  const forged = await session.send([{ toolCallId, hash: "forged", approved: true }]).response;
  const elsewhere = await world.host().open(session.id);
  const approved = await elsewhere.send([{ toolCallId, hash, approved: true }]).response;

  expect(forged).toMatchObject({ error: { code: "hash_mismatch" } });
  expect(approved).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started.map((call) => call.input)).toEqual([{ text: "rm" }]);
});

test("a denied call is answered to the model with the reason", async () => {
  const tool = echoTool({ needsApproval: true });
  const world = createWorld([callTool("echo"), say("Understood")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const { toolCallId = "", hash = "" } = pendingToolCalls[0] ?? {};

  await session.send([{ toolCallId, hash, approved: false, reason: "too risky" }]).response;

  expect(tool.started).toEqual([]);
  expect(session.messages[2]).toMatchObject({
    content: "Denied: too risky",
    isError: false,
    isDenied: true,
  });
});

test("a deadline that passes becomes an error result, though the process that asked is gone", async () => {
  const world = createWorld(
    [callTool("remote"), say("Nobody there")],
    [remoteTool({ answerWithinMs: 5_000 })],
  );
  const first = world.host();
  const session = first.createSession({ agent: "helper" });
  await session.send("Hello").response;
  await first.close();

  const other = world.host();
  await world.clock.advance(4_000);
  const early = world.entries(session.id).at(-1)?.type;
  await world.clock.advance(2_000);

  const elsewhere = await other.open(session.id);
  expect(early).toBe("turn_ended");
  expect(elsewhere.messages[2]).toMatchObject({
    role: "tool",
    isError: true,
    content: "This call was not answered in time.",
  });
  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Nobody there" }] });
});

test("an answer that was refused makes the session due once, and not for ever", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.waitForIdle();
  await session.send([{ toolCallId: "nothing", output: "" }]).response;

  const other = world.host({ pollMs: Infinity });
  await other.claimDue();
  await world.clock.advance(0);

  expect(world.repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
});

test("answers that are refused do not fail the turn that they were meant for", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello", { id: "t1" });
  const [call] = await tool.whenStarted();

  const refused = await session.send([{ toolCallId: "nothing", output: "" }]).response;
  const again = session.send("Hello", { id: "t1" });
  tool.resolve(call?.toolCallId ?? "", "ok");

  expect(refused).toMatchObject({ error: { code: "not_pending" } });
  expect(again).toBe(turn);
  await expect(turn.response).resolves.toMatchObject({ status: "completed" });
});

test("the events of a turn that continues another are complete, even if the first one was read to its end", async () => {
  const script = [callTool("remote"), reply(say("So"), callTool("echo")), say("Done")];
  const world = createWorld(script, [remoteTool(), echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const first = session.send("Hello");
  await Array.fromAsync(first);
  const { pendingToolCalls = [] } = await first.response;

  const turn = session.send(
    pendingToolCalls.map(({ toolCallId }) => ({ toolCallId, output: "picked" })),
  );
  const events = await Array.fromAsync(turn);

  expect(checkEvents(events)).toEqual([]);
  expect(events.filter(({ type }) => type === "step_start")).toMatchObject([
    { step: 2 },
    { step: 3 },
  ]);
});

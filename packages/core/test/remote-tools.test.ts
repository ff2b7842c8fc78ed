import type { Answer, Session } from "@capstan/core";
import type { PendingCall } from "@capstan/kernel";
import {
  callTool,
  deferredTool,
  echoTool,
  remoteTool,
  reply,
  say,
  tinyImage,
  wait,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const threeCalls = reply(
  callTool("remote", { n: 1 }),
  callTool("remote", { n: 2 }),
  callTool("remote", { n: 3 }),
);

function answerTo(call: PendingCall | undefined, output: string): Answer {
  return { toolCallId: call?.toolCallId ?? "", output };
}

/** The contents of the tool messages, in their order. */
function resultsOf(session: Session): unknown[] {
  return session.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
}

interface Waiting {
  readonly world: World;
  readonly session: Session;
  readonly calls: readonly PendingCall[];
}

/** A session that waits for somebody to run three calls. */
async function waitingForThree(): Promise<Waiting> {
  const world = createWorld([threeCalls, say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls: calls = [] } = await session.send("Hello", { id: "t1" }).response;
  return { world, session, calls };
}

describe("tools that run outside of the agent's process", () => {
  test("answers come one by one, in any order, in any host; the model gets them in call order", async () => {
    const { world, session, calls } = await waitingForThree();
    const second = await expectSameElsewhere(world, session);

    const partial = await second.send([answerTo(calls[2], "three")]).response;
    const third = await expectSameElsewhere(world, second);
    await third.send([answerTo(calls[0], "one")]).response;
    const fourth = await expectSameElsewhere(world, third);
    const last = await fourth.send([answerTo(calls[1], "two")]).response;

    expect(partial).toMatchObject({ status: "awaiting_tool_execution" });
    expect(partial.pendingToolCalls).toEqual(calls.slice(0, 2));
    expect(last).toMatchObject({ status: "completed", text: "Done" });
    expect(resultsOf(fourth)).toEqual(["one", "two", "three"]);
    await expectSameElsewhere(world, fourth);
  });

  test("answers from several hosts at once are all taken, by one turn that continues", async () => {
    const { world, session, calls } = await waitingForThree();
    const hosts = [world.host(), world.host(), world.host()];
    const sessions = await Promise.all(hosts.map((host) => host.open(session.id)));

    await Promise.all(
      sessions.map((each, n) => each.send([answerTo(calls[n], `of ${n}`)]).response),
    );
    await world.clock.advance(0);

    expect(session.status).toBe("completed");
    expect(resultsOf(session)).toEqual(["of 0", "of 1", "of 2"]);
    const started = world.entries(session.id).filter(({ type }) => type === "turn_started");
    expect(started).toMatchObject([{ turnId: "t1" }, { turnId: "t1__2", continues: "t1" }]);
  });

  test("of repeated answers the first counts: in one send, in another, in another host, too late", async () => {
    const { world, session, calls } = await waitingForThree();
    const elsewhere = await world.host().open(session.id);

    await session.send([answerTo(calls[0], "first"), answerTo(calls[0], "second")]).response;
    await session.send([answerTo(calls[0], "third")]).response;
    await elsewhere.send([answerTo(calls[0], "fourth"), answerTo(calls[1], "two")]).response;
    await elsewhere.send([answerTo(calls[2], "three")]).response;
    const late = await session.send([answerTo(calls[0], "fifth")]).response;

    expect(late).toMatchObject({ status: "error", error: { code: "not_pending" } });
    expect(resultsOf(elsewhere)).toEqual(["first", "two", "three"]);
    expect(world.provider.requests).toHaveLength(2);
  });

  test("an answer to a call that the model has not made yet is refused, and the call waits as it should", async () => {
    const open = Promise.withResolvers<void>();
    const world = createWorld([[wait(open.promise), callTool("remote")]], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello", { id: "t1" });
    await world.clock.advance(0);

    const guess = { toolCallId: "t1_1_0", output: "guess" };
    const early = await session.send([guess]).response;
    open.resolve();
    const { pendingToolCalls } = await turn.response;

    expect(early).toMatchObject({ error: { code: "not_pending" } });
    expect(pendingToolCalls).toMatchObject([{ toolCallId: "t1_1_0", kind: "execution" }]);
    await expectSameElsewhere(world, session);
  });

  test("an answer that comes while local calls still run is taken by the turn under way, from another host too", async () => {
    const tool = deferredTool();
    const calls = reply(callTool("remote"), callTool("deferred"));
    const world = createWorld([calls, say("Done")], [remoteTool(), tool]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello", { id: "t1" });
    const [local] = await tool.whenStarted();
    const elsewhere = await world.host().open(session.id);

    const early = elsewhere.send([answerTo(elsewhere.pendingToolCalls[0], "early")]);
    await world.clock.advance(0);
    tool.resolve(local?.toolCallId ?? "", "local");

    await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
    await expect(early.response).resolves.toMatchObject({ status: "completed", text: "Done" });
    expect(resultsOf(session)).toEqual(["early", "local"]);
  });

  test("local, remote and provider-run calls of one step: each has who runs it, and only one waits", async () => {
    const echo = echoTool();
    const calls = reply(
      callTool("search", { q: "trains" }, { providerExecuted: true }),
      callTool("remote", { n: 1 }),
      callTool("echo", { n: 2 }),
    );
    const world = createWorld([calls, say("Done")], [remoteTool(), echo]);
    const session = world.host().createSession({ agent: "helper" });

    const { pendingToolCalls = [] } = await session.send("Hello").response;
    const elsewhere = await expectSameElsewhere(world, session);
    await elsewhere.send([answerTo(pendingToolCalls[0], "picked")]).response;

    expect(pendingToolCalls).toMatchObject([{ toolName: "remote", input: { n: 1 } }]);
    expect(echo.started).toHaveLength(1);
    expect(resultsOf(elsewhere)).toEqual(["picked", '{"n":2}']);
    await expectSameElsewhere(world, elsewhere);
  });

  test("what an answer is made of reaches the model: an error, parts; details stay with the user", async () => {
    const { world, session, calls } = await waitingForThree();
    const image = tinyImage;
    const [first = "", second = "", third = ""] = calls.map(({ toolCallId }) => toolCallId);

    await session.send([
      { toolCallId: first, isError: true, output: "no such file" },
      { toolCallId: second, output: [image] },
      { toolCallId: third, output: "seen", details: { width: 3 } },
    ]).response;

    expect(session.messages.slice(2, 5)).toMatchObject([
      { isError: true, content: "no such file" },
      { isError: false, content: [image] },
      { isError: false, content: "seen", details: { width: 3 } },
    ]);
    await expectSameElsewhere(world, session);
  });

  test("a deadline that passes keeps the answers that came, and what comes later is refused", async () => {
    const tools = [remoteTool({ answerWithinMs: 5_000 })];
    const world = createWorld([threeCalls, say("Two of three")], tools);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;
    await session.send([answerTo(calls[0], "one"), answerTo(calls[2], "three")]).response;

    await world.clock.advance(6_000);
    const late = await session.send([answerTo(calls[1], "two")]).response;

    expect(late).toMatchObject({ error: { code: "not_pending" } });
    expect(resultsOf(session)).toEqual(["one", "This call was not answered in time.", "three"]);
    expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Two of three" }] });
    await expectSameElsewhere(world, session);
  });

  test("an answer that is late, but comes before anybody gave the call up, counts", async () => {
    const world = createWorld(
      [callTool("remote"), say("Done")],
      [remoteTool({ answerWithinMs: 5_000 })],
    );
    const session = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;
    await world.clock.advance(60_000);

    const { text } = await session.send([answerTo(calls[0], "just so")]).response;

    expect(text).toBe("Done");
    expect(resultsOf(session)).toEqual(["just so"]);
  });

  test("who lends tools in one process may be gone: the call waits, and its tool may be chosen no more", async () => {
    const { world, session, calls } = await waitingForThree();
    await session.configure({ tools: [] });
    await session.close();

    const elsewhere = await world.host().open(session.id);
    const answers = calls.map((call, n) => answerTo(call, `of ${n}`));
    const { text } = await elsewhere.send(answers).response;

    expect(text).toBe("Done");
    expect(resultsOf(elsewhere)).toEqual(["of 0", "of 1", "of 2"]);
    expect(world.provider.requests[1]?.tools).toEqual([]);
  });

  test("an answer that fits nothing is refused, and does not hold up those that came with it", async () => {
    const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
    const session = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;

    const stray = { toolCallId: "nothing", output: "" };
    const refused = await session.send([answerTo(calls[0], "picked"), stray]).response;
    await session.waitForIdle();

    expect(refused).toMatchObject({ status: "error", error: { code: "not_pending" } });
    expect(resultsOf(session)).toEqual(["picked"]);
    expect(session.status).toBe("completed");
  });

  test("a send with nothing but a message is refused while calls wait, and they go on waiting", async () => {
    const { world, session, calls } = await waitingForThree();

    const refused = await session.send("Never mind").response;

    expect(refused).toMatchObject({ status: "error", error: { code: "calls_pending" } });
    expect(session.pendingToolCalls).toEqual(calls);
    await expectSameElsewhere(world, session);
  });
});

import { agentTool, createAgent } from "@capstan/core";
import type { Session } from "@capstan/core";
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import {
  callTool,
  deferredTool,
  echoTool,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
  wait,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

/** Who may stop a turn, and how. */
type Stop = (turn: Turn<unknown, SessionEvent>, session: Session, world: World) => unknown;

const stops: Record<string, Stop> = {
  "the turn's abort": (turn) => turn.abort(),
  "the session's abort": (_, session) => session.abort(),
  "an abort in another host": async (_, session, world) =>
    (await world.host().open(session.id)).abort(),
  "the abort of the turn as another host has it": async (_, session, world) =>
    (await world.host().open(session.id)).current?.abort(),
};

describe("a stop reaches the model, the tools and the agents within them", () => {
  test.each(Object.keys(stops))("%s stops the model, and nothing more is asked", async (way) => {
    const world = createWorld([reply(say("Half"), stall())], [echoTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await stops[way]?.(turn, session, world);
    const { status } = await turn.response;
    await world.clock.advance(0);

    expect(status).toBe("aborted");
    expect(world.provider.requests[0]?.signal.aborted).toBe(true);
    expect(world.provider.openStreams).toBe(0);
    expect(world.provider.requests).toHaveLength(1);
    await expectSameElsewhere(world, session);
  });

  test.each(Object.keys(stops))("%s reaches every tool that runs, at once", async (way) => {
    const tool = deferredTool({ settlesOnAbort: true });
    const calls = reply(callTool("deferred"), callTool("deferred"), callTool("deferred"));
    const world = createWorld([calls], [tool]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    const started = await tool.whenStarted(3);

    await stops[way]?.(turn, session, world);
    const { status } = await turn.response;

    expect(status).toBe("aborted");
    expect(tool.aborted).toEqual(started.map(({ toolCallId }) => toolCallId));
    await expectSameElsewhere(world, session);
  });

  test("a signal that was sent along stops its turn, and only its own", async () => {
    const world = createWorld([say("One"), reply(say("Half"), stall()), say("Three")]);
    const session = world.host().createSession({ agent: "helper" });
    const [first, second] = [new AbortController(), new AbortController()];
    await session.send("First", { signal: first.signal }).response;
    const turn = session.send("Second", { signal: second.signal });
    await world.clock.advance(0);

    first.abort();
    await world.clock.advance(0);
    const before = session.status;
    second.abort("enough");
    const stopped = await turn.response;
    await session.waitForIdle();
    const third = await session.send("Third").response;

    expect(before).toBe("running");
    expect(stopped).toMatchObject({ status: "aborted", text: "Half" });
    expect(third).toMatchObject({ status: "completed", text: "Three" });
  });

  test("a tool that does not obey is given up after the grace period, and what it says later is dropped", async () => {
    const deaf = deferredTool();
    const world = createWorld([callTool("deferred"), say("Next")], [deaf], {
      dispatch: { graceMs: 2_000 },
    });
    const session = world.host().createSession({ agent: "helper" });
    const events: SessionEvent[] = [];
    session.subscribe((event) => events.push(event));
    const turn = session.send("Hello");
    const [call] = await deaf.whenStarted();
    const startedAt = world.clock.now();
    await session.abort();

    const { status } = await world.clock.runUntil(turn.response);
    const took = world.clock.now() - startedAt;
    await session.waitForIdle();
    call?.context.update("too late");
    deaf.resolve(call?.toolCallId ?? "", "too late");
    await session.send("Go on").response;

    expect(status).toBe("aborted");
    expect(took).toBe(2_000);
    const shown = [events, world.entries(session.id), world.provider.requests[1]?.messages];
    expect(JSON.stringify(shown)).not.toContain("too late");
    await expectSameElsewhere(world, session);
  });

  test("calls that had not started are not started any more", async () => {
    const tool = deferredTool({ settlesOnAbort: true });
    const calls = reply(callTool("deferred"), callTool("echo"));
    const echo = echoTool();
    const world = createWorld([calls], [tool, echo], { dispatch: { mode: "sequential" } });
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await tool.whenStarted();

    await session.abort();
    await turn.response;
    await world.clock.advance(60_000);

    expect(echo.started).toEqual([]);
    expect(session.messages[3]).toMatchObject({ role: "tool", toolName: "echo", isError: true });
  });

  test("an agent that runs as a tool is stopped with its model and its tools", async () => {
    const tool = deferredTool({ settlesOnAbort: true });
    const inner = scriptedProvider([callTool("deferred")]);
    const helper = createAgent({ name: "researcher", model: inner, tools: [tool] });
    const world = createWorld(
      [callTool("researcher", { task: "Find it" })],
      [agentTool(helper, { description: "Finds things" })],
    );
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await tool.whenStarted();

    await session.abort();
    const { status } = await turn.response;

    expect(status).toBe("aborted");
    expect(tool.aborted).toHaveLength(1);
    expect(inner.requests).toHaveLength(1);
  });

  test("nobody stops a turn by leaving: neither its events, nor a subscription, nor the session", async () => {
    const open = Promise.withResolvers<void>();
    const world = createWorld([[say("On"), wait(open.promise), say("e")]]);
    const session = world.host().createSession({ agent: "helper" });
    await session.configure({ title: "Stored" });
    const reader = await world.host().open(session.id);
    const unsubscribe = reader.subscribe(() => {});
    const turn = session.send("Hello");

    for await (const event of turn) if (event.type === "text_delta") break;
    unsubscribe();
    await reader.close();
    open.resolve();

    await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "One" });
    expect(world.provider.requests[0]?.signal.aborted).toBe(false);
  });

  test("a host that closes does not stop the turn: another goes on with it", async () => {
    const world = createWorld([reply(say("Half"), stall()), say("Whole")]);
    const host = world.host();
    const session = host.createSession({ agent: "helper" });
    session.send("Hello", { id: "t1" });
    await world.clock.advance(0);

    await host.close();
    const elsewhere = await world.host().open(session.id);
    await elsewhere.waitForIdle();

    expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Whole" }] });
    const entries = world.entries(session.id);
    expect(entries.map(({ type }) => type)).not.toContain("cancel_requested");
    expect(entries.at(-1)).toMatchObject({ type: "turn_ended", turnId: "t1" });
  });

  test("a stop holds for the turn that would continue the one that waits: its answers come too late", async () => {
    const world = createWorld([callTool("remote"), say("Not this")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Hello").response;
    const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";

    await session.abort();
    await session.waitForIdle();
    const late = await session.send([{ toolCallId, output: "late" }]).response;

    expect(late).toMatchObject({ error: { code: "not_pending" } });
    expect(world.provider.requests).toHaveLength(1);
    expect(session.status).toBe("completed");
    await expectSameElsewhere(world, session);
  });
});

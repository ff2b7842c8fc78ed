import { agentTool, createAgent } from "@capstan/core";
import { interruptionMarker } from "@capstan/kernel";
import type { ToolContract } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { isLiveOnly } from "@capstan/log";
import {
  assertValidEvents,
  callTool,
  deferredTool,
  echoTool,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const leaseMs = 30_000;

describe("a stop keeps the text so far, finished results and usage", () => {
  test("a stop in the middle of a text keeps it, with what it has used", async () => {
    const world = createWorld([reply(usage({ inputTokens: 20 }), say(["Hel", "lo"]), stall())]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    const response = await turn.response;

    expect(response).toMatchObject({
      status: "aborted",
      text: "Hello",
      usage: { inputTokens: 20 },
      messages: [
        { role: "assistant", content: [{ text: "Hello" }], stopReason: "aborted" },
        { role: "user", content: interruptionMarker, source: "interruption" },
      ],
    });
    expect(session.messages.slice(1)).toEqual(response.messages);
    expect(session.usage).toEqual({ inputTokens: 20 });
    await expectSameElsewhere(world, session);
  });

  test("a stop in the middle of tools keeps the results of those that had finished", async () => {
    const slow = deferredTool();
    const script = reply(
      callTool("echo", { n: 1 }),
      callTool("deferred"),
      usage({ inputTokens: 10, outputTokens: 2 }),
    );
    const world = createWorld([script], [echoTool(), slow]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await slow.whenStarted();

    await session.abort();
    const response = await world.clock.runUntil(turn.response);

    expect(response.messages).toMatchObject([
      { role: "assistant", stopReason: "tool-calls" },
      { role: "tool", content: '{"n":1}', isError: false },
      { role: "tool", content: expect.stringContaining("Interrupted"), isError: true },
      { role: "user", content: interruptionMarker },
    ]);
    expect(response.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
    await expectSameElsewhere(world, session);
  });

  test("the usage of all steps is in the response, in the end of the turn and in the session", async () => {
    const world = createWorld(
      [
        reply(callTool("echo"), usage({ inputTokens: 10, outputTokens: 2 })),
        reply(usage({ inputTokens: 20 }), say("Half"), stall()),
      ],
      [echoTool()],
    );
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    const response = await turn.response;

    const total = { inputTokens: 30, outputTokens: 2 };
    expect(response.usage).toEqual(total);
    expect(session.usage).toEqual(total);
    expect(world.entries(session.id).at(-1)).toMatchObject({ type: "turn_ended", usage: total });
    await expectSameElsewhere(world, session);
  });

  test("what a tool had spent on models of its own counts, though it was stopped", async () => {
    const spends: ToolContract = {
      ...remoteTool({ name: "spends" }),
      execute: (_, context) => {
        context.usage({ inputTokens: 500 });
        return new Promise(() => {});
      },
    };
    const world = createWorld([callTool("spends")], [spends]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    await world.clock.runUntil(turn.response);

    expect(session.usage).toMatchObject({ inputTokens: 500 });
    await expectSameElsewhere(world, session);
  });

  test("what an agent that ran as a tool had used counts, though it was stopped with its caller", async () => {
    const model = scriptedProvider([reply(usage({ inputTokens: 500 }), say("Fou"), stall())]);
    const helper = createAgent({ name: "researcher", model });
    const world = createWorld(
      [callTool("researcher", { task: "Find it" })],
      [agentTool(helper, { description: "Finds things" })],
    );
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    await turn.response;

    expect(session.usage).toMatchObject({ inputTokens: 500 });
    await expectSameElsewhere(world, session);
  });

  test("answers that came before the stop of a waiting turn are kept, and only the others are not", async () => {
    const calls = reply(callTool("remote", { n: 1 }), callTool("remote", { n: 2 }));
    const world = createWorld([calls, say("Go on")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Hello").response;
    const toolCallId = pendingToolCalls[1]?.toolCallId ?? "";
    await session.send([{ toolCallId, output: "picked" }]).response;

    await session.abort();
    await session.waitForIdle();

    expect(session.messages.slice(2)).toMatchObject([
      { role: "tool", isError: true },
      { role: "tool", content: "picked", isError: false },
      { role: "user", content: interruptionMarker },
    ]);
    await expectSameElsewhere(world, session);
  });

  test("a stop after which the process died keeps what was recorded, in the host that ends the turn", async () => {
    const world = createWorld(
      [reply(callTool("echo", { n: 1 }), usage({ inputTokens: 10, outputTokens: 2 })), stall()],
      [echoTool()],
    );
    const process = mortal(world.repository);
    const host = world.host({ repository: process.repository });
    const session = host.createSession({ agent: "helper" });
    session.send("Hello");
    await world.clock.advance(0);
    process.die();
    const elsewhere = await world.host().open(session.id);

    await elsewhere.abort("enough");
    await world.clock.advance(leaseMs + 2_000);

    expect(elsewhere.messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", content: '{"n":1}', isError: false },
      { role: "user", content: interruptionMarker },
    ]);
    expect(elsewhere.usage).toMatchObject({ inputTokens: 10, outputTokens: 2 });
    expect(elsewhere.status).toBe("completed");
    await expectSameElsewhere(world, elsewhere);
  });

  test("readers saw live what the log tells: the text, then that it was stopped", async () => {
    const world = createWorld([reply(say(["Hel", "lo"]), stall())]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    const reading = Array.fromAsync(turn);
    await world.clock.advance(0);

    turn.abort("enough");
    const events: SessionEvent[] = await reading;

    assertValidEvents(events);
    expect(events.filter((event) => !isLiveOnly(event))).toEqual(
      world.events(session.id).map(({ event }) => event),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: "abort", reason: "enough" }));
  });

  test("what a stop left behind is what the next turn sends to the model, in whichever host", async () => {
    const world = createWorld([reply(say("Hel"), stall()), say("Hello")]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);
    await session.abort();
    await turn.response;
    await session.waitForIdle();

    const elsewhere = await expectSameElsewhere(world, session);
    await elsewhere.send("Go on").response;

    expect(world.provider.requests[1]?.messages).toMatchObject([
      { role: "user", content: "Hello" },
      { role: "assistant", content: [{ text: "Hel" }] },
      { role: "user", content: interruptionMarker },
      { role: "user", content: "Go on" },
    ]);
  });
});

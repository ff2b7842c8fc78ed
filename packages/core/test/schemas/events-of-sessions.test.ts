import type { Session } from "@capstan/core";
import {
  ChatMessageSchema,
  SessionSnapshotSchema,
  TurnEventBodySchema,
  TurnEventSchema,
  TurnResponseSchema,
} from "@capstan/core/schemas";
import type { ToolContract } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  callToolRaw,
  deferredTool,
  echoTool,
  failAfter,
  failBefore,
  failingTool,
  native,
  refuse,
  remoteTool,
  reply,
  say,
  stall,
  think,
  usage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "../world.ts";

function startSession(script: readonly ScriptItem[], tools: readonly ToolContract[] = []) {
  const retry = { maxAttempts: 2 };
  const world = createWorld(script, tools, { retry, includeCost: true, instructions: "Be brief." });
  const session = world.host().createSession({ agent: "helper", metadata: { from: "test" } });
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { world, session, events };
}

/** What a session has shown and what it is: checked, it comes out as it went in. */
async function expectValid(session: Session, events: readonly SessionEvent[]): Promise<void> {
  const state = await session.snapshot();
  expect(events.map((event) => TurnEventSchema.parse(event))).toStrictEqual(events);
  expect(events.map((event) => TurnEventBodySchema.parse(event))).toStrictEqual(events);
  expect(session.messages.map((message) => ChatMessageSchema.parse(message))).toStrictEqual(
    session.messages,
  );
  expect(SessionSnapshotSchema.parse(state)).toStrictEqual(state);
}

test("a turn with every kind of part, and with tools that work, fail and get nonsense", async () => {
  const { session, events } = startSession(
    [
      [
        think(["Let me ", "see"], { signature: { sig: "x" } }),
        say("I ask."),
        native({ search: ["a"] }),
        callTool("echo", { n: 1 }, { id: "vendor-1" }),
        callTool("fail"),
        callTool("nobody"),
        callToolRaw("echo", "{nonsense"),
        usage({ inputTokens: 10, outputTokens: 4 }),
      ],
      reply(refuse("No"), say("Done")),
    ],
    [echoTool(), failingTool()],
  );

  const response = await session.send("Hello").response;
  await session.waitForIdle();

  expect(TurnResponseSchema.parse(response)).toStrictEqual(response);
  await expectValid(session, events);
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(18);
});

test("a turn that waits for an answer and for an approval, and goes on", async () => {
  const { session, events } = startSession(
    [[callTool("remote", { n: 1 }), callTool("echo", { n: 2 })], say("Done")],
    [remoteTool({ answerWithinMs: 5_000 }), echoTool({ needsApproval: true })],
  );
  const asked = await session.send("Hello").response;
  const [remote, approval] = asked.pendingToolCalls ?? [];

  const done = await session.send([
    { toolCallId: remote?.toolCallId ?? "", output: [{ type: "text", text: "blue" }] },
    { toolCallId: approval?.toolCallId ?? "", hash: approval?.hash ?? "", approved: true },
  ]).response;

  expect(TurnResponseSchema.parse(asked)).toStrictEqual(asked);
  expect(TurnResponseSchema.parse(done)).toStrictEqual(done);
  expect(events.map(({ type }) => type)).toContain("awaiting_tool_execution");
  await expectValid(session, events);
});

test("a suspended session can be snapshot, calls and all", async () => {
  const { session, events } = startSession([callTool("remote")], [remoteTool()]);

  await session.send("Hello").response;

  expect((await session.snapshot()).pendingToolCalls).toHaveLength(1);
  await expectValid(session, events);
});

test("a turn that is steered, and messages that are taken back", async () => {
  const tool = deferredTool();
  const { session, events } = startSession([callTool("deferred"), say("Done")], [tool]);
  const turn = session.send("Hello");
  const [call] = await tool.whenStarted();
  await session.steer("Only indoors");
  await session.followUp("Later");
  const cleared = session.clearQueue("followUp");
  call?.context.update("half way");
  tool.resolve(call?.toolCallId ?? "", "ok");

  await turn.response;
  await cleared;
  await session.waitForIdle();

  const types = events.map(({ type }) => type);
  expect(types).toContain("steering_delivered");
  expect(types).toContain("steering_returned");
  expect(types).toContain("tool_execution_delta");
  await expectValid(session, events);
});

test("attempts that fail, and a turn that fails in the end", async () => {
  const { world, session, events } = startSession([
    failBefore("overloaded"),
    failAfter(say("Half"), "invalid_request"),
  ]);

  const response = await world.clock.runUntil(session.send("Hello").response);

  expect(response.status).toBe("error");
  expect(TurnResponseSchema.parse(response)).toStrictEqual(response);
  expect(events.map(({ type }) => type)).toContain("attempt_discarded");
  await expectValid(session, events);
});

test("a turn that is aborted in the middle", async () => {
  const { world, session, events } = startSession([[say("Half"), stall()]]);
  const turn = session.send("Hello");
  await world.clock.advance(0);

  await session.abort("The user left");
  const response = await turn.response;

  expect(TurnResponseSchema.parse(response)).toStrictEqual(response);
  expect(events.map(({ type }) => type)).toContain("abort");
  await expectValid(session, events);
});

test("a reader that comes in the middle, and gets a snapshot", async () => {
  const open = Promise.withResolvers<void>();
  const { world, session } = startSession([
    [think("Hm"), say("One "), callTool("echo", { n: 1 }), wait(open.promise), say("Two")],
  ]);
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const elsewhere = await world.host().open(session.id);
  const events: SessionEvent[] = [];
  elsewhere.subscribe((event) => events.push(event), { after: { seq: 0, n: 0 } });
  await world.clock.advance(0);

  open.resolve();
  await turn.response;

  expect(events.map(({ type }) => type)).toContain("snapshot");
  await expectValid(elsewhere, events);
});

import type { Session } from "@capstan/core";
import type { EntryType } from "@capstan/log";
import {
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  remoteTool,
  say,
  wait,
} from "@capstan/testing";
import type { DeferredTool, ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const leaseMs = 30_000;

/** What the log and the transcript tell of a queued message: how often it was settled, and how often it was said. */
function fateOf(world: World, session: Session, id: string): string {
  const settled = world
    .entries(session.id)
    .filter(
      (entry) =>
        (entry.type === "queue_settled" && entry.ids.includes(id)) ||
        (entry.type === "turn_started" && entry.input.includes(id)),
    );
  const said = session.messages.filter((message) => message.id === id);
  return `${id}: settled ${settled.length}, said ${said.length}`;
}

function fatesOf(world: World, session: Session, ids: readonly string[]): string[] {
  return ids.map((id) => fateOf(world, session, id));
}

const delivered = (id: string): string => `${id}: settled 1, said 1`;
const returned = (id: string): string => `${id}: settled 1, said 0`;

interface Busy {
  readonly world: World;
  readonly session: Session;
  readonly tool: DeferredTool;
  /** Gives the tool its result. */
  finishTool(): void;
}

/** A session whose turn waits in a tool. */
async function busyInTool(...rest: readonly ScriptItem[]): Promise<Busy> {
  const tool = deferredTool({ settlesOnAbort: true });
  const world = createWorld([callTool("deferred"), ...rest], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("Go", { id: "t1" });
  const [call] = await tool.whenStarted();
  const finishTool = (): void => tool.resolve(call?.toolCallId ?? "", "ok");
  return { world, session, tool, finishTool };
}

describe("a queued message is delivered or returned, once", () => {
  test("what was queued for a turn that was aborted is kept, and delivered after the next send", async () => {
    const { world, session } = await busyInTool(say("Two"), say("Three"), say("Four"));
    await session.steer("Indoors", { id: "s1" });
    await session.followUp("And then", { id: "f1" });

    await session.abort();
    await session.waitForIdle();
    const held = session.queued.map(({ id, isHeld }) => [id, isHeld]);
    const elsewhere = await expectSameElsewhere(world, session);
    await elsewhere.send("Go on").response;
    await elsewhere.waitForIdle();

    expect(held).toEqual([
      ["s1", true],
      ["f1", true],
    ]);
    expect(fatesOf(world, elsewhere, ["s1", "f1"])).toEqual(["s1", "f1"].map(delivered));
    expect(elsewhere.queued).toEqual([]);
  });

  test("what was queued for a turn that failed is kept, and continue takes it up", async () => {
    const open = Promise.withResolvers<void>();
    const script = [[wait(open.promise), failBefore("auth")], say("Two"), say("Three")];
    const world = createWorld(script);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Go");
    await session.steer("Indoors", { id: "s1" });
    await session.followUp("And then", { id: "f1" });
    open.resolve();
    await turn.response;
    await session.waitForIdle();

    await session.continue().response;
    await session.waitForIdle();

    expect(fatesOf(world, session, ["s1", "f1"])).toEqual(["s1", "f1"].map(delivered));
    await expectSameElsewhere(world, session);
  });

  test("what is queued while a turn waits for answers goes to the model with them", async () => {
    const world = createWorld([callTool("remote"), say("Two"), say("Three")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Go").response;
    const steering = await session.steer("Indoors", { id: "s1" });
    await session.followUp("And then", { id: "f1" });
    const elsewhere = await expectSameElsewhere(world, session);

    const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
    const turn = elsewhere.send([{ toolCallId, output: "picked" }]);
    await turn.response;
    await elsewhere.waitForIdle();

    await expect(steering.outcome).resolves.toEqual({ type: "delivered", turnId: turn.id });
    expect(fatesOf(world, elsewhere, ["s1", "f1"])).toEqual(["s1", "f1"].map(delivered));
    expect(world.provider.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  test("what is taken back is returned, and only that; who sent it elsewhere is told, too", async () => {
    const { world, session, finishTool } = await busyInTool(say("Two"), say("Three"));
    const sender = await world.host().open(session.id);
    const steering = await sender.steer("Indoors", { id: "s1" });
    const following = await sender.followUp("And then", { id: "f1" });

    const cleared = session.clearQueue("steering");
    finishTool();
    await session.waitForIdle();

    await expect(cleared).resolves.toEqual(["s1"]);
    await expect(steering.outcome).resolves.toEqual({ type: "returned", reason: "cleared" });
    await expect(following.outcome).resolves.toEqual({ type: "delivered", turnId: "f1" });
    expect(fatesOf(world, session, ["s1", "f1"])).toEqual([returned("s1"), delivered("f1")]);
    await expectSameElsewhere(world, session);
  });

  test("two calls at once return their own messages only", async () => {
    const { session, finishTool } = await busyInTool(say("Two"));
    await session.steer("Indoors", { id: "s1" });
    await session.followUp("And then", { id: "f1" });

    const cleared = [session.clearQueue("steering"), session.clearQueue("followUp")];
    const rest = session.clearQueue();
    finishTool();

    expect(await Promise.all(cleared)).toEqual([["s1"], ["f1"]]);
    expect(await rest).toEqual([]);
  });

  test("a message that was delivered before it was asked back is not returned as well", async () => {
    const { world, session, finishTool } = await busyInTool(say("Two"));
    await session.steer("Indoors", { id: "s1" });
    finishTool();
    await session.waitForIdle();

    const cleared = await session.clearQueue();

    expect(cleared).toEqual([]);
    expect(fateOf(world, session, "s1")).toBe(delivered("s1"));
  });

  test("the same id is one message, however often, whenever, as whatever and from wherever it comes", async () => {
    const { world, session, finishTool } = await busyInTool(say("Two"), say("Three"));
    const elsewhere = await world.host().open(session.id);
    const receipts = [
      await session.steer("Indoors", { id: "s1" }),
      await session.steer("Indoors", { id: "s1" }),
      await elsewhere.steer("Indoors", { id: "s1" }),
      await elsewhere.followUp("Indoors", { id: "s1" }),
    ];
    finishTool();
    await session.waitForIdle();

    receipts.push(await session.steer("Indoors", { id: "s1" }));
    await session.waitForIdle();

    const outcomes = await Promise.all(receipts.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(Array(5).fill({ type: "delivered", turnId: "t1" }));
    expect(fateOf(world, session, "s1")).toBe(delivered("s1"));
  });

  test("an id that was returned stays returned, and what it named is not delivered later", async () => {
    const { world, session, finishTool } = await busyInTool(say("Two"));
    await session.steer("Indoors", { id: "s1" });
    const cleared = session.clearQueue();
    finishTool();
    await cleared;

    const again = await session.steer("Indoors", { id: "s1" });
    await session.waitForIdle();

    await expect(again.outcome).resolves.toEqual({ type: "returned", reason: "cleared" });
    expect(fateOf(world, session, "s1")).toBe(returned("s1"));
  });

  test("a message that comes in the moment in which the turn ends starts the next one", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const session = world.host().createSession({ agent: "helper" });
    const { append } = world.repository;
    const message = { role: "user", id: "s1", content: "Wait" } as const;
    world.repository.append = (id, entries, options) => {
      // The same id again has no effect.
      if (entries.some(({ type }) => type === "turn_ended")) {
        world.repository.post(id, { v: 1, id: "s1", at: 0, type: "steer", message });
      }
      return append(id, entries, options);
    };

    await session.send("Go").response;
    await session.waitForIdle();

    expect(fateOf(world, session, "s1")).toBe(delivered("s1"));
    expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Two" }] });
  });

  test.each<EntryType>([
    "turn_started",
    "attempt",
    "message",
    "tool_intent",
    "tool_result",
    "queue_settled",
    "turn_ended",
  ])("a process that dies right after its %s loses and doubles nothing", async (last) => {
    const open = Promise.withResolvers<void>();
    const item: ScriptItem = ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? say("Done")
        : [wait(open.promise), callTool("echo")];
    const world = createWorld(Array(8).fill(item), [echoTool()]);
    const process = mortal(world.repository);
    const doomed = world.host({ repository: process.repository, pollMs: Infinity });
    const session = doomed.createSession({ agent: "helper" });
    await session.configure({ title: "Stored" });
    process.dieAfter(last);
    session.send("Go");
    await world.clock.advance(0);
    const sender = await world.host({ pollMs: Infinity }).open(session.id);
    const steering = await sender.steer("Indoors", { id: "s1" });
    const following = await sender.followUp("And then", { id: "f1" });
    open.resolve();
    await world.clock.advance(0);
    const before = world.entries(session.id).map(({ type }) => type);

    const rescuer = world.host();
    await world.clock.advance(leaseMs + 2_000);

    expect(before).toContain(last);
    expect(before.filter((type) => type === "turn_ended").length).toBeLessThan(2);
    const elsewhere = await rescuer.open(session.id);
    expect(elsewhere.status).toBe("completed");
    expect(fatesOf(world, elsewhere, ["s1", "f1"])).toEqual(["s1", "f1"].map(delivered));
    await expect(steering.outcome).resolves.toMatchObject({ type: "delivered" });
    await expect(following.outcome).resolves.toMatchObject({ type: "delivered" });
    await expectSameElsewhere(world, elsewhere);
  });

  test("reset takes back what is held, and says so", async () => {
    const { world, session } = await busyInTool(say("Anew"));
    const receipt = await session.followUp("And then", { id: "f1" });
    await session.abort();
    await session.waitForIdle();

    await session.reset();

    await expect(receipt.outcome).resolves.toEqual({ type: "returned", reason: "cleared" });
    expect(fateOf(world, session, "f1")).toBe(returned("f1"));
    await expectSameElsewhere(world, session);
  });

  test("a reset that is refused takes nothing back", async () => {
    const world = createWorld([callTool("remote"), say("Two"), say("Three")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Go").response;
    await session.followUp("And then", { id: "f1" });

    await expect(session.reset()).rejects.toMatchObject({ code: "calls_pending" });
    const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
    await session.send([{ toolCallId, output: "yes" }]).response;
    await session.waitForIdle();

    expect(fateOf(world, session, "f1")).toBe(delivered("f1"));
  });
});

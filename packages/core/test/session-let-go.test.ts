/** Letting go of a session in one process: what is disposed, who is told, and who goes on. */
import { createHost, defineTool, dependency } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { callTool, deferredTool, remoteTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

/** A tool that keeps something for the session, and the story of it. */
function keepingTool(): { readonly tool: AnyTool; readonly story: readonly string[] } {
  const story: string[] = [];
  let made = 0;
  const make = (): number => {
    story.push(`made ${(made += 1)}`);
    return made;
  };
  const Connection = dependency("connection", make, {
    scope: "session",
    dispose: (n) => void story.push(`disposed ${n}`),
  });
  const tool = defineTool({
    name: "keep",
    description: "Keeps something",
    input: { type: "object" },
    execute: async (_, context) => `connection ${await context.get(Connection)}`,
  });
  return { tool, story };
}

const twoTurns = [callTool("keep"), say("One"), callTool("keep"), say("Two")];

test("what is kept for a session is made once for all its turns, and disposed when it is closed", async () => {
  const { tool, story } = keepingTool();
  const world = createWorld(twoTurns, [tool]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First").response;
  await session.send("Second").response;
  await session.waitForIdle();
  const before = [...story];

  await session.close();
  await session.close();

  expect(before).toEqual(["made 1"]);
  expect(story).toEqual(["made 1", "disposed 1"]);
});

test("a host that closes disposes what each of its sessions keeps", async () => {
  const { tool, story } = keepingTool();
  const world = createWorld(twoTurns, [tool]);
  const host = world.host();
  await host.createSession({ agent: "helper" }).send("First").response;
  await host.createSession({ agent: "helper" }).send("First").response;

  await host.close();

  expect(story.toSorted()).toEqual(["disposed 1", "disposed 2", "made 1", "made 2"]);
});

test("a session that a host found due is let go of when nobody there has it, with what it kept", async () => {
  const { tool, story } = keepingTool();
  const world = createWorld(twoTurns, [tool]);
  const session = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
  await session.send("First").response;
  await session.close();
  const message = { role: "user", id: "f1", content: "Second" } as const;
  world.repository.post(session.id, { v: 1, id: "f1", at: 0, type: "follow_up", message });

  await world.host({ pollMs: Infinity }).claimDue();
  await world.clock.advance(0);

  expect(story).toEqual(["made 1", "disposed 1", "made 2", "disposed 2"]);
});

test("another host opens what was closed with a connection of its own, and everything that was said", async () => {
  const { tool, story } = keepingTool();
  const world = createWorld(twoTurns, [tool]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First").response;
  await session.close();

  const elsewhere = await world.host().open(session.id);
  await elsewhere.send("Second").response;

  expect(elsewhere.messages).toHaveLength(8);
  expect(story).toEqual(["made 1", "disposed 1", "made 2"]);
});

test("closing in the middle of a turn leaves it to others: its handle says so, its tools are told to stop", async () => {
  const tool = deferredTool({ settlesOnAbort: true, effect: "idempotent" });
  const world = createWorld([callTool("deferred"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello", { id: "t1" });
  await tool.whenStarted();

  await session.close();
  const left = await turn.response;
  const elsewhere = await world.host().open(session.id);
  const [, second] = await tool.whenStarted(2);
  tool.resolve(second?.toolCallId ?? "", "ok");
  await elsewhere.waitForIdle();

  expect(left).toMatchObject({ status: "error", error: { code: "host_closed" } });
  expect(tool.aborted).toHaveLength(1);
  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(world.entries(session.id).filter(({ type }) => type === "turn_ended")).toHaveLength(1);
});

test("a subscriber hears nothing more of a session that is closed here, though it goes on elsewhere", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const seen: SessionEvent[] = [];
  session.subscribe((event) => seen.push(event));
  await session.send("First").response;
  await session.waitForIdle();
  const before = seen.length;

  await session.close();
  const elsewhere = await world.host().open(session.id);
  await elsewhere.send("Second").response;
  await world.clock.advance(5_000);

  expect(seen).toHaveLength(before);
});

test("a session that was never stored can be closed, too", async () => {
  const world = createWorld([]);
  const session = world.host().createSession({ agent: "helper" });

  await session.close();

  expect(world.repository.list().sessions).toEqual([]);
});

test("a host that is closed gives out no more sessions", async () => {
  const world = createWorld([say("One")]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  await session.send("First").response;
  const state = await session.snapshot();

  await host.close();

  const refused = expect.objectContaining({ code: "host_closed" });
  expect(() => host.createSession({ agent: "helper" })).toThrow(refused);
  await expect(host.open(session.id)).rejects.toEqual(refused);
  await expect(host.restore(state)).rejects.toEqual(refused);
});

test("a host that is closed looks for nothing more, and leaves no timer", async () => {
  const world = createWorld([stall(), callTool("remote")], [remoteTool()]);
  const { agent, repository, clock } = world;
  const host = createHost({ agents: [agent], repository, clock });
  host.createSession({ agent: "helper" }).send("Hello");
  await host.createSession({ agent: "helper" }).send("Hello").response;
  await clock.advance(500);

  await host.close();

  expect(clock.pending()).toBe(0);
});

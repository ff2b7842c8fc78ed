/** What a server asks of a host and its sessions: the list, the end, a reading at one moment, letting go. */
import { deferredTool, callTool, reply, say, stall } from "@capstan/testing";
import type { SessionEvent } from "@capstan/log";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("a host lists the sessions of a principal, and removes one with the turn that runs in it", async () => {
  const world = createWorld([stall(), say("Hi")]);
  const host = world.host();
  const running = host.createSession({ agent: "helper", principal: "ann" });
  const turn = running.send("Hello");
  await host.createSession({ agent: "helper", principal: "bob" }).send("Hello").response;

  const before = await host.list({ principal: "ann" });
  await host.delete(running.id);
  const { error } = await turn.response;

  expect(before.sessions.map(({ id }) => id)).toEqual([running.id]);
  expect(running.principal).toBe("ann");
  expect((await host.list()).sessions).toHaveLength(1);
  expect(error).toMatchObject({ code: "host_closed" });
  expect(world.provider.openStreams).toBe(0);
  await expect(host.open(running.id)).rejects.toMatchObject({ code: "not_found" });
});

test("a session that another process deletes in the middle of a turn leaves no caller waiting, in any host", async () => {
  const world = createWorld([stall()]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const elsewhere = await world.host().open(session.id);
  const follower = elsewhere.current;
  const idle = Promise.allSettled([session.waitForIdle(), elsewhere.waitForIdle()]);

  world.repository.delete(session.id);
  await world.clock.advance(60_000);
  const responses = [await turn.response, await follower?.response];

  const gone = { code: "not_found" };
  expect(responses).toMatchObject([{ error: gone }, { error: gone }]);
  expect(await idle).toMatchObject([{ reason: gone }, { reason: gone }]);
  expect(world.provider.openStreams).toBe(0);
});

test("a reading is of one moment: a subscription behind its cursor goes on without a gap", async () => {
  const tool = deferredTool();
  const world = createWorld([reply(say("Hm"), callTool("deferred", {})), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const all: SessionEvent[] = [];
  session.subscribe((event) => all.push(event));
  const turn = session.send("Hello");
  const [call] = await tool.whenStarted();
  call?.context.update("half");

  const { cursor, entries, state, live } = await session.read();
  const seen = all.length;
  const late: SessionEvent[] = [];
  session.subscribe((event) => late.push(event), { after: cursor });
  await world.clock.advance(0);
  tool.resolve(call?.toolCallId ?? "", "whole");
  await turn.response;
  await session.waitForIdle();

  expect(state.messages).toHaveLength(2);
  expect(entries.at(-1)?.type).toBe("tool_intent");
  expect(live).toEqual({ toolOutputs: [{ toolCallId: call?.toolCallId, output: "half" }] });
  expect(late).toEqual(all.slice(seen));
});

test("a session that was let go of takes no memory once it is at rest, and a turn under way comes to its end", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred", {}), say("Done"), say("Again")], [tool]);
  const host = world.host({ pollMs: Infinity });
  const session = host.createSession({ agent: "helper" });
  const turn = session.send("Hello");
  const [call] = await tool.whenStarted();

  await session.detach();
  tool.resolve(call?.toolCallId ?? "", "ok");
  const { text } = await turn.response;
  await world.clock.advance(0);
  const again = await host.open(session.id);

  expect(text).toBe("Done");
  expect(again.messages).toHaveLength(4);
  expect(await again.run("More")).toBe("Again");
});

test("a cancel names its turn, and says whether there was something to stop", async () => {
  const world = createWorld([say("Hi"), stall()]);
  const session = world.host().createSession({ agent: "helper" });
  const unborn = await session.abortTurn("t1");
  await session.send("Hello", { id: "t1" }).response;
  const turn = session.send("More", { id: "t2" });
  await world.clock.advance(0);

  const over = await session.abortTurn("t1");
  const stopped = await session.abortTurn("t2", "enough");

  expect([unborn, over, stopped]).toEqual([false, false, true]);
  expect((await turn.response).status).toBe("aborted");
});

test("what was sent is in the log, or refused, when it is flushed", async () => {
  const world = createWorld([stall()]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });

  await session.flush();

  expect(world.entries(session.id).map(({ id }) => id)).toContain("t1");
});

import { createAgent, createSession } from "@capstan/core";
import type { SessionState } from "@capstan/core";
import { callTool, deferredTool, remoteTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("the state is one object until something changes", async () => {
  const world = createWorld([say(["One", " two"])]);
  const session = world.host().createSession({ agent: "helper" });
  const states = new Set<SessionState>([session.state]);
  expect(session.state).toBe(session.state);
  let count = 0;
  session.subscribe(() => {
    count += 1;
    expect(session.state).toBe(session.state);
    states.add(session.state);
  });

  await session.send("Hello").response;

  expect(session.state).toBe(session.state);
  expect(session.messages).toBe(session.state.messages);
  expect(states.size).toBeGreaterThan(3);
  expect(states.size).toBeLessThanOrEqual(count + 2);
});

test("the list of messages stays the same while a reply is streamed, and never changes", async () => {
  const world = createWorld([say(["One", " two", " three"])]);
  const session = world.host().createSession({ agent: "helper" });
  const during = new Set<SessionState["messages"]>();
  session.subscribe(({ type }) => {
    if (type === "text_delta") during.add(session.state.messages);
  });

  await session.send("Hello").response;

  expect(during.size).toBe(1);
  expect([...during][0]).toHaveLength(1);
  expect(session.messages).toHaveLength(2);
});

test("what is configured before the first send shows in a new state", async () => {
  const agent = createAgent({ name: "helper", model: scriptedProvider([]) });
  const session = createSession({ agent });
  const before = session.state;

  await session.configure({ instructions: "Be brief." });

  expect(session.state).not.toBe(before);
  expect(session.state.instructions).toBe("Be brief.");
});

test("the state tells which local calls run, with their input and their output so far", async () => {
  const tool = deferredTool();
  const world = createWorld(
    [reply(callTool("deferred", { n: 1 }), callTool("ask", { n: 2 })), say("Done")],
    [tool, remoteTool({ name: "ask" })],
  );
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go");
  await tool.whenStarted();

  const [running] = session.state.runningToolCalls;
  expect(session.state.runningToolCalls).toHaveLength(1);
  expect(running).toMatchObject({ toolName: "deferred", input: { n: 1 }, output: "" });
  expect(session.state.pendingToolCalls).toMatchObject([{ toolName: "ask" }]);
  const elsewhere = await world.host().open(session.id);
  expect(elsewhere.state.runningToolCalls).toEqual(session.state.runningToolCalls);

  tool.resolve(running?.toolCallId ?? "", "done");
  await turn.response;
  expect(session.state.runningToolCalls).toEqual([]);
});

test("output that a tool shows is in the state while it runs", async () => {
  const shown = Promise.withResolvers<void>();
  const going = Promise.withResolvers<string>();
  const slow = {
    name: "slow",
    description: "Takes its time",
    inputSchema: { type: "object" },
    execute: async (_: unknown, context: { update(delta: string): void }) => {
      context.update("half");
      shown.resolve();
      return going.promise;
    },
  } as const;
  const world = createWorld([callTool("slow"), say("Done")], [slow]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go");
  await shown.promise;

  expect(session.state.runningToolCalls).toMatchObject([{ toolName: "slow", output: "half" }]);

  going.resolve("whole");
  await turn.response;
});

test("the state has the instructions of the last request", async () => {
  const world = createWorld([say("Hi")], [], { instructions: () => "Asked for." });
  const session = world.host().createSession({ agent: "helper" });
  expect(session.state.instructions).toBeUndefined();

  await session.send("Hello").response;

  expect(session.state.instructions).toBe("Asked for.");
});

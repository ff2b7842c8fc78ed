/** The name of a session's id: `sessionId`, in every event and in the context of every tool. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { SessionEvent, ToolContext } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, failBefore, reply, say, scriptedProvider, think } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

function working(contexts: ToolContext[]) {
  const work = defineTool({
    name: "work",
    description: "Works",
    input: z.object({}),
    execute: (_, context) => {
      contexts.push(context);
      context.update("half");
      return "done";
    },
  });
  return createAgent({
    name: "worker",
    model: scriptedProvider([
      reply(think("Hm"), callTool("work", {})),
      failBefore("overloaded"),
      say("Done"),
      say("Yes"),
    ]),
    tools: [work],
    retry: { maxAttempts: 2, baseDelayMs: 0 },
  });
}

test("live and replayed events of a session have its id as sessionId, and no other name for it", async () => {
  const repository = memoryRepository();
  const host = createHost({ agents: [working([])], repository });
  const session = host.createSession({ agent: "worker", id: "s1" });
  const live: SessionEvent[] = [];
  const replayed: SessionEvent[] = [];
  session.subscribe((event) => live.push(event));

  const read = await Array.fromAsync(session.send("Go"));
  const late = session.send("Again");
  await late.response;
  const refilled = await Array.fromAsync(late);
  session.subscribe((event) => replayed.push(event), { after: { seq: 0, n: 0 } });
  await expect.poll(() => replayed.map(({ type }) => type)).toContain("turn_end");

  const events = [...live, ...read, ...replayed, ...refilled];
  expect(live.map(({ type }) => type)).toContain("tool_execution_delta");
  expect(refilled.map(({ type }) => type)).toContain("text_delta");
  expect([...new Set(events.map(({ sessionId }) => sessionId))]).toEqual(["s1"]);
  expect(events.filter((event) => "conversationId" in event)).toEqual([]);
  await host.close();
});

test("a turn without a session has its own id as sessionId", async () => {
  const events = await Array.fromAsync(working([]).runTurn({ input: "Go", id: "t1" }));

  expect([...new Set(events.map(({ sessionId }) => sessionId))]).toEqual(["t1"]);
  expect(events.filter((event) => "conversationId" in event)).toEqual([]);
});

test("a tool gets the id of its session as sessionId, and no other name for it", async () => {
  const contexts: ToolContext[] = [];
  const host = createHost({ agents: [working(contexts)], repository: memoryRepository() });
  const session = host.createSession({ agent: "worker", id: "s1" });

  await session.send("Go").response;

  expect(contexts.map(({ sessionId }) => sessionId)).toEqual(["s1"]);
  expect(contexts.filter((context) => "conversationId" in context)).toEqual([]);
  await host.close();
});

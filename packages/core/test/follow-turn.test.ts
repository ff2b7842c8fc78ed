import { createAgent, createHost, memoryRepository } from "@capstan/core";
import type { Host, SessionRepository } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import { callTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

function hostOn(repository: SessionRepository, script: readonly ScriptItem[]): Host {
  const tools = [remoteTool({ name: "ask" })];
  return createHost({
    agents: [createAgent({ model: scriptedProvider(script), tools })],
    repository,
  });
}

test("a turn that has ended is followed by its id, in another process, after later turns", async () => {
  const repository = memoryRepository();
  const first = hostOn(repository, [say("one"), say("two")]);
  const session = await first.session("s", { agent: "agent" });
  await session.send("1", { id: "first" }).response;
  await session.send("2", { id: "second" }).response;
  await first.close();

  const second = hostOn(repository, []);
  const opened = await second.open("s");
  const turn = await opened.follow("first");
  const last = await opened.follow();

  expect(await turn?.response).toMatchObject({ status: "completed", text: "one" });
  expect(await last?.response).toMatchObject({ status: "completed", text: "two" });
  await second.close();
});

test("the last turn of a chain is followed by the id of the first", async () => {
  const host = hostOn(memoryRepository(), [callTool("ask", {}), say("done")]);
  const session = await host.session("s", { agent: "agent" });
  await session.send("go", { id: "first" }).response;
  const waiting = await (await session.follow("first"))?.response;

  const [call] = session.pendingToolCalls;
  session.send([{ toolCallId: call?.toolCallId ?? "", output: "yes" }]);
  const over = await session.follow("first");

  expect(waiting?.status).toBe("awaiting_tool_execution");
  expect(await over?.response).toMatchObject({ status: "completed", text: "done" });
  await host.close();
});

test("a turn in progress is followed to its end, with its typed answer", async () => {
  const output = z.object({ sum: z.number() });
  const model = scriptedProvider([say('{"sum":3}')]);
  const host = createHost({
    agents: [createAgent({ model, output })],
    repository: memoryRepository(),
  });
  const session = await host.session("s", { agent: "agent" });
  session.send("add", { id: "first" });

  const turn = await session.follow("first");

  expect((await turn?.response)?.output).toEqual({ sum: 3 });
  await host.close();
});

test("a turn is followed before it starts, while a host that vanished holds the session", async () => {
  const repository = memoryRepository();
  const host = hostOn(repository, [say("one")]);
  const session = await host.session("s", { agent: "agent" });
  const vanished = repository.acquire("s", "a host that vanished", 60_000);
  session.send("1", { id: "first" });

  const turn = await session.follow("first");
  const last = await session.follow();
  if (vanished !== undefined) repository.release(vanished.lease);
  await host.claimDue();

  expect([turn?.id, last?.id]).toEqual(["first", "first"]);
  expect(await turn?.response).toMatchObject({ status: "completed", text: "one" });
  await host.close();
});

test("an unknown id, and a session that is not stored, have no turn to follow", async () => {
  const host = hostOn(memoryRepository(), [say("one")]);
  const unstored = host.createSession({ agent: "agent" });
  const session = await host.session("s", { agent: "agent" });
  await session.send("1", { id: "first" }).response;

  expect(await session.follow("other")).toBeUndefined();
  expect(await unstored.follow()).toBeUndefined();
  await host.close();
});

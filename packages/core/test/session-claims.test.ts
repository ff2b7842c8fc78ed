/** Calls that somebody else runs: who does, and answers that come twice. */
import type { Answer } from "@capstan/core";
import { callTool, remoteTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const twoCalls = reply(callTool("remote", { n: 1 }), callTool("remote", { n: 2 }));

async function suspended() {
  const world = createWorld([twoCalls, say("Done")], [remoteTool({ lentBy: "tab-1" })]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  const answers = pendingToolCalls.map(({ toolCallId }): Answer => ({
    toolCallId,
    output: "ran",
  }));
  const [toolCallId = "", other = ""] = pendingToolCalls.map((call) => call.toolCallId);
  return { world, session, answers, toolCallId, other, pendingToolCalls };
}

test("a pending call names who lent its tool, here and in the log", async () => {
  const { world, session, pendingToolCalls } = await suspended();

  const elsewhere = await world.host().open(session.id);

  expect(pendingToolCalls.map(({ lentBy }) => lentBy)).toEqual(["tab-1", "tab-1"]);
  expect(elsewhere.pendingToolCalls).toEqual(pendingToolCalls);
});

test("who claims a call has it for a while, in every process; then somebody else may", async () => {
  const { world, session, toolCallId, other } = await suspended();
  const elsewhere = await world.host().open(session.id);

  const claim = await session.claim(toolCallId, "tab-1", 1_000);
  await expect(elsewhere.claim(toolCallId, "tab-2", 1_000)).rejects.toMatchObject({
    code: "already_claimed",
  });
  const second = await elsewhere.claim(other, "tab-2", 1_000);
  await world.clock.advance(1_000);
  const late = await elsewhere.claim(toolCallId, "tab-2", 1_000);

  expect(claim).toEqual({ toolCallId, claimedBy: "tab-1", until: 2_000 });
  expect(second.claimedBy).toBe("tab-2");
  expect(late.until).toBe(3_000);
  expect(elsewhere.claims).toEqual([late, second]);
});

test("who has a call gets more time by claiming it again, and a claim changes nothing else", async () => {
  const { world, session, toolCallId, answers } = await suspended();
  await session.claim(toolCallId, "tab-1", 1_000);
  await world.clock.advance(500);

  const renewed = await session.claim(toolCallId, "tab-1", 1_000);
  const { text } = await session.send(answers).response;

  expect(renewed.until).toBe(2_500);
  expect(text).toBe("Done");
  expect(session.claims).toEqual([]);
});

test("what does not wait, or waits for an approval, cannot be claimed", async () => {
  const world = createWorld([callTool("remote", {})], [remoteTool({ needsApproval: true })]);
  const session = world.host().createSession({ agent: "helper" });
  await expect(session.claim("c", "tab", 1)).rejects.toMatchObject({ code: "not_pending" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;

  const { toolCallId = "" } = pendingToolCalls[0] ?? {};
  await expect(session.claim("nothing", "tab", 1)).rejects.toMatchObject({ code: "not_pending" });
  await expect(session.claim(toolCallId, "tab", 1)).rejects.toMatchObject({ code: "wrong_kind" });
});

test("the same answer under the same id counts once and is no error, also when the turn has gone on", async () => {
  const { world, session, answers } = await suspended();
  const [first, second] = answers as [Answer, Answer];
  await session.send([first], { id: "wire" }).response;

  const again = await session.send([first], { id: "wire" }).response;
  const done = await session.send([first, second], { id: "wire" }).response;
  const late = await session.send([second], { id: "wire" }).response;
  const other = await session.send([{ ...second, output: "else" }], { id: "wire" }).response;

  expect(again.status).toBe("awaiting_tool_execution");
  expect([done.text, late.text]).toEqual(["Done", "Done"]);
  expect(other.error).toMatchObject({ code: "not_pending" });
  const answered = world.entries(session.id).filter(({ type }) => type === "answer");
  expect(answered).toHaveLength(3);
});

test("an answer that came too early is taken when its call waits", async () => {
  const world = createWorld([say("Hi"), callTool("remote", {}), say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const toolCallId = "t2_3_0";
  const answer = { toolCallId, output: "ran" } as const;

  const early = await session.send([answer], { id: "wire" }).response;
  const { pendingToolCalls = [] } = await session.send("Go", { id: "t2" }).response;
  const { text } = await session.send([answer], { id: "wire" }).response;

  expect(early.error).toMatchObject({ code: "not_pending" });
  expect(pendingToolCalls).toMatchObject([{ toolCallId }]);
  expect(text).toBe("Done");
});

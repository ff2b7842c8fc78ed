/** A session that is rewound, settled and abandoned in turn: each leaves a history that the next one takes. */
import { checkTranscript, callTool, echoTool, remoteTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const tools = () => [remoteTool(), echoTool({ name: "guarded", needsApproval: true })];

test("settled, cut back, suspended again and abandoned, it takes the next message", async () => {
  const world = createWorld(
    [callTool("remote"), say("Then not"), callTool("guarded"), callTool("remote"), say("At last")],
    tools(),
  );
  const session = world.host().createSession({ agent: "helper", id: "s1" });
  await session.send("First", { id: "t1" }).response;
  const settled = await session.send("Never mind", { id: "t2", ifPending: "settle" }).response;
  const [call] = session.messages.filter(({ role }) => role === "tool");

  await session.rewind("t2", { before: true });
  const afterRewind = session.messages.map(({ role }) => role);
  const suspended = await session.send("Again", { id: "t3" }).response;
  const isDropped = await session.abandon("changed my mind");
  const waiting = await session.send("Once more", { id: "t4" }).response;
  await session.rewind("t4", { before: true });
  const last = await session.send("Now", { id: "t5" }).response;

  expect(settled).toMatchObject({ status: "completed", text: "Then not" });
  expect(call).toMatchObject({ isError: true });
  expect(afterRewind).toEqual(["user", "assistant", "tool"]);
  expect(suspended.status).toBe("awaiting_tool_execution");
  expect(isDropped).toBe(true);
  expect(waiting.status).toBe("awaiting_tool_execution");
  expect(last).toMatchObject({ status: "completed", text: "At last" });
  expect(session.pendingToolCalls).toEqual([]);
  expect(checkTranscript(session.messages)).toEqual([]);
  const elsewhere = await world.host().open("s1");
  expect(elsewhere.messages).toEqual(session.messages);
});

test("an answer to a call that was cut off or dropped is refused, and changes nothing", async () => {
  const world = createWorld([callTool("remote"), callTool("remote"), say("Done")], tools());
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First", { id: "t1" }).response;
  const [cut] = session.pendingToolCalls;
  await session.rewind("t1");
  await session.send("Second", { id: "t2" }).response;
  const [dropped] = session.pendingToolCalls;
  await session.abandon();

  const late = [cut, dropped].map((call) => ({ toolCallId: call?.toolCallId ?? "", output: "x" }));
  const answers = await Promise.all(late.map((one) => session.send([one]).response));

  expect(answers.map(({ error }) => error?.code)).toEqual(["not_pending", "not_pending"]);
  expect(await session.run("Third")).toBe("Done");
  expect(checkTranscript(session.messages)).toEqual([]);
});

test("a snapshot lists the outputs that are kept as blobs, and only those that are left", async () => {
  const world = createWorld(
    [callTool("echo", { text: "x".repeat(900) }), say("Done")],
    [echoTool()],
    {
      outputs: { maxChars: 100 },
    },
  );
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Echo", { id: "t1" }).response;

  const { artifacts } = await session.snapshot();
  await session.rewind("t1");
  const cut = await session.snapshot();

  expect(artifacts).toEqual([
    {
      toolCallId: "t1_1_0",
      blob: expect.any(String),
      mediaType: "text/plain",
      chars: JSON.stringify({ text: "x".repeat(900) }).length,
    },
  ]);
  expect(cut.artifacts).toBeUndefined();
});

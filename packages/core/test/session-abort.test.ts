import {
  assertValidTranscript,
  callTool,
  deferredTool,
  remoteTool,
  say,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("an abort stops the model, and what was said is kept", async () => {
  const world = createWorld([[say("Half"), stall()]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);

  await session.abort("enough");

  await expect(turn.response).resolves.toMatchObject({ status: "aborted", text: "Half" });
  expect(session.messages.at(-1)).toMatchObject({ content: "[interrupted by user]" });
  expect(world.entries(session.id).at(-1)).toMatchObject({
    type: "turn_ended",
    abortReason: "enough",
  });
  expect(session.status).toBe("completed");
});

test("a signal that timed out is told to the model as a timeout", async () => {
  const world = createWorld([[say("Half"), stall()]]);
  const session = world.host().createSession({ agent: "helper" });
  const stop = new AbortController();
  const turn = session.send("Hello", { signal: stop.signal });
  await world.clock.advance(0);

  stop.abort(new DOMException("The operation timed out", "TimeoutError"));

  await expect(turn.response).resolves.toMatchObject({ status: "aborted", text: "Half" });
  expect(session.messages.at(-1)).toMatchObject({
    content: "[interrupted: the time limit of the turn was reached]",
  });
});

test("an abort in another process stops the turn and its tools", async () => {
  const tool = deferredTool({ settlesOnAbort: true });
  const world = createWorld([callTool("deferred")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await tool.whenStarted();

  const elsewhere = await world.host().open(session.id);
  await elsewhere.abort();

  await expect(turn.response).resolves.toMatchObject({ status: "aborted" });
  expect(tool.aborted).toHaveLength(1);
  assertValidTranscript(session.messages);
});

test("the handle of a turn aborts it, also at once", async () => {
  const world = createWorld([[say("Half"), stall()]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");

  turn.abort("changed my mind");

  await expect(turn.response).resolves.toMatchObject({ status: "aborted" });
});

test("an abort of a turn that waits for answers ends it in a turn that continues it", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { status } = await session.send("Hello", { id: "t1" }).response;

  await session.abort();
  await session.waitForIdle();

  expect(status).toBe("awaiting_tool_execution");
  expect(session.status).toBe("completed");
  expect(session.messages[2]).toMatchObject({ role: "tool", isError: true });
  assertValidTranscript(session.messages);
  const started = world.entries(session.id).filter((entry) => entry.type === "turn_started");
  expect(started.at(-1)).toMatchObject({ turnId: "t1__2", continues: "t1" });
  expect(world.entries(session.id).at(-1)).toMatchObject({ finishReason: "aborted" });
});

test("an abort without a turn does nothing", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });

  await session.abort();
  await session.send("Hello").response;
  await session.abort();

  expect(world.entries(session.id).map((entry) => entry.type)).not.toContain("cancel_requested");
});

test("a cancel that is recorded just before the end of the turn still makes it an aborted one", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  const { append } = world.repository;
  let isPosted = false;
  world.repository.append = (id, entries, options) => {
    const isEnd = entries.some((entry) => entry.type === "turn_ended");
    if (isEnd && !isPosted) {
      isPosted = true;
      const cancel = { v: 1, id: "c1", at: 0, type: "cancel_requested", turnId: "t1" } as const;
      world.repository.post(id, cancel);
    }
    return append(id, entries, options);
  };

  const response = await session.send("Hello", { id: "t1" }).response;

  expect(response).toMatchObject({ status: "aborted", text: "Done" });
  const ends = world.entries(session.id).filter((entry) => entry.type === "turn_ended");
  expect(ends).toHaveLength(1);
});

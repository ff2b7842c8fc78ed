/** Turns whose events include those of the sessions below. */
import { execute } from "@capstan/core";
import type { Session } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { callTool, deferredTool, echoTool, reply, say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Family } from "./family.ts";
import { asTool, family, inBackground, member } from "./family.ts";
import { ask, factsOf, wholeOf } from "./tree.ts";

function byTwo(): { world: Family; session: Session } {
  const reader = member("reader", [say("a book"), say("a page"), say("a line")]);
  const writer = member("writer", [ask("reader", "Read"), say("a text")], [asTool(reader)]);
  const script = [
    ask("reader", "Before"),
    say("Ready"),
    reply(ask("writer", "Write"), ask("reader", "Look")),
    say("Done"),
  ];
  const world = family(member("root", script, [asTool(writer), asTool(reader)]));
  return { world, session: world.host().createSession({ agent: "root" }) };
}

const asSeen = (events: readonly SessionEvent[]): ReturnType<typeof factsOf> =>
  factsOf(events.map((event) => ({ event, cursor: "" })));

/** Facts of the tree without those of the first turn and its child. */
function ofLastTurn({ world, session }: ReturnType<typeof byTwo>): Record<string, SessionEvent[]> {
  const [first] = world.childrenOf(session.id);
  const facts = Object.entries(wholeOf(world, session.id)).filter(([id]) => id !== first);
  return Object.fromEntries(
    facts.map(([id, events]) => [id, events.filter(({ turnId }) => turnId !== "t1")]),
  );
}

test("the events of a turn are those of the tree, and end with the turn's own end", async () => {
  const { world, session } = byTwo();
  await session.send("First", { id: "t1" }).response;

  const turn = execute(session, "Go", { id: "t2", tree: true });
  const events = await Array.fromAsync(turn);

  expect(asSeen(events)).toEqual(ofLastTurn({ world, session }));
  expect(events.at(-1)).toMatchObject({ type: "turn_end", sessionId: session.id });
  expect(await turn.response).toMatchObject({ status: "completed", text: "Done" });
});

test("a turn that is sent again has the same events, and none of the children of other turns", async () => {
  const { world, session } = byTwo();
  await session.send("First", { id: "t1" }).response;
  await session.send("Go", { id: "t2" }).response;
  const elsewhere = await world.host().open(session.id);

  const here = await Array.fromAsync(execute(session, "Go", { id: "t2", tree: true }));
  const there = await Array.fromAsync(execute(elsewhere, "Go", { id: "t2", tree: true }));

  expect(asSeen(here)).toEqual(ofLastTurn({ world, session }));
  expect(asSeen(there)).toEqual(ofLastTurn({ world, session }));
});

test("answers continue the turn with the events of the child that waited", async () => {
  const pay = echoTool({ name: "pay", needsApproval: true });
  const child = member("child", [callTool("pay", {}), say("Paid")], [pay]);
  const world = family(member("root", [ask("child", "Pay"), say("Done")], [asTool(child)]));
  const session = world.host().createSession({ agent: "root" });
  const first = execute(session, "Go", { tree: true });
  const before = await Array.fromAsync(first);
  const { pendingToolCalls = [] } = await first.response;
  const answers = pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: true,
  }));

  const events = await Array.fromAsync(execute(session, answers, { tree: true }));

  const [childId] = world.childrenOf(session.id);
  const isOfChild = ({ sessionId }: SessionEvent): boolean => sessionId === childId;
  expect(before.filter(isOfChild).map(({ type }) => type)).toContain("awaiting_tool_execution");
  expect(events.filter(isOfChild).at(-1)).toMatchObject({ type: "turn_end" });
  expect(events.at(-1)).toMatchObject({ type: "turn_end", sessionId: session.id });
});

test("a child in the background does not keep the stream open", async () => {
  const dig = deferredTool({ name: "dig" });
  const child = member("child", [callTool("dig", {}), say("Dug")], [dig]);
  const script = [ask("child", "Dig"), say("Started"), say("Thanks")];
  const world = family(member("root", script, [inBackground(child)]));
  const session = world.host().createSession({ agent: "root" });

  const events = await Array.fromAsync(execute(session, "Go", { tree: true }));

  expect(events.at(-1)).toMatchObject({ type: "turn_end", sessionId: session.id });
  expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(2);
  const [run] = await dig.whenStarted();
  dig.resolve(run?.toolCallId ?? "", "done");
  await session.waitForChildren();
});

test("a refused turn has its error as the only event", async () => {
  const { session } = byTwo();
  const running = session.send("First", { id: "t1" });

  const turn = execute(session, "Second", { id: "t2", tree: true });
  const events = await Array.fromAsync(turn);
  await running.response;

  expect(events.map(({ type }) => type)).toEqual(["error"]);
  expect((await turn.response).error?.code).toBe("turn_unfinished");
});

test("an abort of the turn reaches the tree, and its end is the last event", async () => {
  const dig = deferredTool({ name: "dig", settlesOnAbort: true });
  const child = member("child", [callTool("dig", {}), say("Dug")], [dig]);
  const world = family(member("root", [ask("child", "Dig"), say("Done")], [asTool(child)]));
  const session = world.host().createSession({ agent: "root" });
  const turn = execute(session, "Go", { tree: true });
  await dig.whenStarted();

  turn.abort("enough");
  const events = await Array.fromAsync(turn);

  expect(events.at(-1)).toMatchObject({ type: "turn_end", finishReason: "aborted" });
});

test("in another process, too, the end of a turn comes after everything that its children recorded", async () => {
  const { world, session } = byTwo();
  await session.send("First", { id: "t1" }).response;
  const elsewhere = await world.host().open(session.id);
  const events: SessionEvent[] = [];
  const ended = Promise.withResolvers<void>();
  const stop = elsewhere.subscribe(
    (event) => {
      events.push(event);
      if (event.type === "turn_end" && event.sessionId === session.id) ended.resolve();
    },
    { tree: true },
  );
  onTestFinished(stop);

  await session.send("Go", { id: "t2" }).response;
  await ended.promise;

  expect(asSeen(events)).toEqual(ofLastTurn({ world, session }));
});

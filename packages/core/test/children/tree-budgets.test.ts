/** Budgets over a tree of sessions: children get slices, ask for more, and return what they do not use. */
import type { AgentInit } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import { callTool, deferredTool, echoTool, reply, say, stall, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Family } from "./family.ts";
import {
  answersOf,
  asTool,
  afterCrash,
  family,
  inBackground,
  member,
  resultsOf,
} from "./family.ts";

const ask = (task: string) => callTool("researcher", { task });

/** A reply that uses this number of tokens. */
const costing = (tokens: number, said: ReturnType<typeof say>): ScriptItem =>
  reply(said, usage({ inputTokens: tokens }));

const look = callTool("echo", {});

function worker(name: string, script: readonly ScriptItem[], settings: Partial<AgentInit> = {}) {
  return member(name, script, [echoTool({ effect: "pure" })], settings);
}

function entriesOf(world: Family, sessionId: string, type: string): readonly unknown[] {
  return world.entries(sessionId).filter((entry) => entry.type === type);
}

test("a child starts with an equal share of what is left, for itself and its parent", async () => {
  const researcher = worker("researcher", [costing(50, say("42"))]);
  const root = member("root", [costing(100, ask("Find it")), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_100 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  const response = await session.send("Go").response;

  const [childId = ""] = world.childrenOf(session.id);
  expect(entriesOf(world, session.id, "child_started")).toMatchObject([
    { budget: { tokens: 500 } },
  ]);
  expect(entriesOf(world, childId, "input")).toMatchObject([{ budget: { tokens: 500 } }]);
  expect(response).toMatchObject({ status: "completed", text: "Done" });
});

test("parallel children get equal shares, and no more than their agents allow themselves", async () => {
  const researcher = worker("researcher", [say("one"), say("two")]);
  const modest = worker("modest", [say("three")], { budgets: { tokens: 10 } });
  const both = reply(ask("A"), ask("B"), callTool("modest", { task: "C" }));
  const root = member("root", [both, say("Done")], [asTool(researcher), asTool(modest)], {
    budgets: { tokens: 1_000, cost: 4 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(entriesOf(world, session.id, "child_started")).toMatchObject([
    { budget: { tokens: 250, cost: 1 } },
    { budget: { tokens: 250, cost: 1 } },
    { budget: { tokens: 10, cost: 1 } },
  ]);
});

test("without a budget there is no slice", async () => {
  const researcher = worker("researcher", [say("42")]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(entriesOf(world, session.id, "child_started")[0]).not.toHaveProperty("budget");
});

test("a child that has used its slice up gets more, if there is something left, and goes on", async () => {
  const script = [costing(400, look), costing(200, look), say("42")];
  const researcher = worker("researcher", script);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  const response = await session.send("Go").response;

  expect(resultsOf(session)).toEqual(["42"]);
  expect(entriesOf(world, session.id, "child_granted")).toMatchObject([
    { budget: { tokens: 800 } },
  ]);
  expect(response).toMatchObject({ text: "Done" });
});

test("what a child has done is stored and shown while it waits for more", async () => {
  const script = [costing(600, look), say("42")];
  const researcher = member("researcher", script, [echoTool()]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const repository: SessionRepository = {
    ...world.repository,
    async post(id, entry, options) {
      if (entry.type === "budget_granted") {
        asked.resolve();
        await answered.promise;
      }
      return world.repository.post(id, entry, options);
    },
  };
  const host = world.host({ repository });
  const session = host.createSession({ agent: "root" });
  const turn = session.send("Go");
  await asked.promise;
  const [childId = ""] = world.childrenOf(session.id);

  const results = entriesOf(world, childId, "tool_result");
  answered.resolve();
  const { text } = await turn.response;

  expect(results).toHaveLength(1);
  expect(text).toBe("Done");
});

test("if nothing is left, the child is refused and ends, and so does its parent", async () => {
  const script = Array.from({ length: 10 }, () => costing(400, look));
  const researcher = worker("researcher", script);
  const root = member("root", [ask("Find it"), say("Never")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  const response = await session.send("Go").response;

  const [childId = ""] = world.childrenOf(session.id);
  const granted = entriesOf(world, session.id, "child_granted");
  expect(granted.at(-1)).toMatchObject({ isRefused: true });
  expect(world.entries(childId).findLast(({ type }) => type === "turn_ended")).toMatchObject({
    finishReason: "budget-exceeded",
  });
  expect(resultsOf(session)[0]).toContain("a budget was used up");
  expect(response).toMatchObject({ finishReason: "budget-exceeded" });
  // No more than the budget and one request.
  expect(session.usage.inputTokens).toBeLessThanOrEqual(1_400);
});

test("what a child does not use returns to its parent", async () => {
  const researcher = worker("researcher", [costing(10, say("one")), costing(10, say("two"))]);
  const root = member("root", [ask("A"), ask("B"), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(entriesOf(world, session.id, "child_started")).toMatchObject([
    { budget: { tokens: 500 } },
    { budget: { tokens: 495 } },
  ]);
});

test("the slice of a child in the background is not used by its parent", async () => {
  const researcher = worker("researcher", [stall()]);
  const root = member(
    "root",
    [ask("A"), costing(450, look), costing(100, look), say("Never")],
    [inBackground(researcher), echoTool({ effect: "pure" })],
    { budgets: { tokens: 1_000 } },
  );
  const session = family(root).host().createSession({ agent: "root" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ finishReason: "budget-exceeded" });
  expect(session.usage.inputTokens).toBe(550);
});

test("a child in the background is granted more while its parent is idle", async () => {
  const script = [costing(600, look), say("42")];
  const granted = worker("researcher", script);
  const root = member("root", [ask("A"), say("Wait"), say("Done")], [inBackground(granted)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;
  await session.waitForChildren();

  expect(entriesOf(world, session.id, "child_granted")).toMatchObject([
    { budget: { tokens: 800 } },
  ]);
  expect(answersOf(session)[0]).toContain("42");
});

test("a child in the background is refused more once its parent has begun another turn", async () => {
  const slow = deferredTool();
  const script = [costing(600, callTool("deferred")), say("Never")];
  const researcher = member("researcher", script, [slow]);
  const root = member(
    "root",
    [ask("A"), say("Wait"), say("Hello"), say("Sorry")],
    [inBackground(researcher)],
    { budgets: { tokens: 1_000 } },
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  const [call] = await slow.whenStarted();
  await session.send("Hi").response;

  slow.resolve(call?.toolCallId ?? "", "ok");
  await session.waitForChildren();

  expect(entriesOf(world, session.id, "child_granted")).toMatchObject([{ isRefused: true }]);
  expect(answersOf(session)[0]).toContain("a budget was used up");
});

test("a grandchild gets a share of its parent's slice", async () => {
  const helper = worker("helper", [say("deep")]);
  const researcher = member(
    "researcher",
    [callTool("helper", { task: "Dig" }), say("42")],
    [asTool(helper)],
  );
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  const [childId = ""] = world.childrenOf(session.id);
  expect(entriesOf(world, childId, "child_started")).toMatchObject([{ budget: { tokens: 250 } }]);
});

test("a call is refused if nothing is left for a child", async () => {
  const researcher = worker("researcher", [say("Never")]);
  const root = member(
    "root",
    [costing(1_000, ask("Find it")), say("Never")],
    [asTool(researcher)],
    {
      budgets: { tokens: 1_000 },
    },
  );
  const session = family(root).host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(resultsOf(session)[0]).toContain("the budget of this turn is used up");
});

test("the time that is left is a limit of the child, too", async () => {
  const researcher = worker("researcher", [look, say("Never")]);
  const root = member("root", [ask("Find it"), say("Never")], [asTool(researcher)], {
    budgets: { timeMs: 60_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(entriesOf(world, session.id, "child_started")).toMatchObject([
    { budget: { timeMs: 60_000 } },
  ]);
});

test("after a crash of both processes while the child asks, it is answered once", async () => {
  const researcher = worker("researcher", [costing(600, look), stall(), say("42")]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);

  const elsewhere = await afterCrash(world);

  expect(resultsOf(elsewhere)).toEqual(["42"]);
  expect(entriesOf(world, elsewhere.id, "child_granted")).toHaveLength(1);
});

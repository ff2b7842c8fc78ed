/** The stream of one turn with the events of the sessions that work for it. */
import { agentTool, createAgent } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { childrenOf, factsOf, storedFacts } from "./tree-facts.ts";
import { createWorld, errorOf } from "./world.ts";
import type { World } from "./world.ts";

const path = "/api/agent/execute";
const options = { tree: true };

const ask = (task: string): ScriptItem => callTool("reader", { task });

function reader(tools: readonly ToolContract[] = []): ToolContract {
  const model = scriptedProvider([say("Hello"), say(["a ", "book"]), say("a page")]);
  const agent = createAgent({ name: "reader", model, tools, retry: { maxAttempts: 1 } });
  return agentTool(agent, { description: "Reads" });
}

/** A session with a turn, whose next turn asks two children. */
async function begin(): Promise<World & { readonly sessionId: string }> {
  const script = [ask("Before"), say("Ready"), reply(ask("A"), ask("B")), say("Done")];
  const world = await createWorld(script, { tools: [reader()] });
  const { sessionId } = await world.execute({ input: "Hi", id: "t1" });
  return { ...world, sessionId };
}

/** Stored facts of the second turn, and of the children that it started. */
function ofSecond(world: World, sessionId: string): ReturnType<typeof factsOf> {
  const [, ...children] = childrenOf(world, sessionId);
  const own = storedFacts(world, sessionId).filter(({ turnId }) => turnId === "t2");
  return Object.fromEntries([
    [sessionId, own],
    ...children.map((id) => [id, storedFacts(world, id)] as const),
  ]);
}

test("with `tree` the stream of a turn has the events of its children, and ends after them", async () => {
  const world = await begin();
  const { sessionId } = world;

  const { frames, complete } = await world.execute({ input: "Go", id: "t2", sessionId, options });

  expect(Object.keys(ofSecond(world, sessionId))).toHaveLength(3);
  expect(factsOf(sessionId, frames)).toEqual(ofSecond(world, sessionId));
  expect(complete).toMatchObject({ type: "execute_complete", turnId: "t2", status: "completed" });
});

test("a new session streams its tree from its first turn on", async () => {
  const world = await createWorld([ask("A"), say("Done")], {
    tools: [reader()],
  });

  const { sessionId, frames } = await world.execute({ input: "Go", id: "t1", options });

  const [child = ""] = childrenOf(world, sessionId);
  expect(factsOf(sessionId, frames)).toEqual({
    [sessionId]: storedFacts(world, sessionId),
    [child]: storedFacts(world, child),
  });
});

test("without it the events of children are not in the stream", async () => {
  const world = await begin();
  const { sessionId } = world;

  const { frames } = await world.execute({ input: "Go", id: "t2", sessionId });

  expect(frames.every(({ data }) => !("at" in data))).toBe(true);
});

test("a turn that is sent again gives the rest after any id of its stream, and no child of another turn", async () => {
  const world = await begin();
  const { sessionId } = world;
  const body = { input: "Go", id: "t2", sessionId, options };
  const { frames } = await world.execute(body);
  const ids = frames.flatMap(({ id }) => id ?? []);

  const again = await Promise.all(
    ids.map((id) => world.execute(body, undefined, { "last-event-id": id })),
  );
  const whole = await world.execute(body);

  expect(factsOf(sessionId, whole.frames)).toEqual(ofSecond(world, sessionId));
  for (const [index, { frames: rest }] of again.entries()) {
    const at = frames.findIndex(({ id }) => id === ids[index]);
    const joined = [...frames.slice(0, at + 1), ...rest];
    expect(factsOf(sessionId, joined)).toEqual(ofSecond(world, sessionId));
  }
  expect(world.faults).toEqual([]);
});

test("answers continue the turn, with the child that waited from the beginning of its work", async () => {
  const child = agentTool(
    createAgent({
      name: "reader",
      model: scriptedProvider([callTool("echo", {}), say("a book")]),
      tools: [echoTool({ needsApproval: true })],
    }),
    { description: "Reads" },
  );
  const world = await createWorld([ask("A"), say("Done")], {
    tools: [child],
  });
  const { sessionId, complete } = await world.execute({ input: "Go", id: "t1", options });
  const [call] =
    (complete as { pendingToolCalls?: { toolCallId: string; hash: string }[] }).pendingToolCalls ??
    [];
  const input = [{ toolCallId: call?.toolCallId, hash: call?.hash, approved: true }];

  const { frames } = await world.execute({ sessionId, input, options });

  const [childId = ""] = childrenOf(world, sessionId);
  expect(factsOf(sessionId, frames)[childId]).toEqual(storedFacts(world, childId));
});

test.each([
  [{ tree: "yes" }, {}, "options.tree"],
  [{ tree: true }, { "last-event-id": "1.2(" }, "last-event-id"],
])("%j with the headers %j is refused", async (wrong, headers, where) => {
  const world = await begin();
  const { sessionId } = world;
  const body = { input: "Hi", id: "t1", sessionId, options: wrong };

  const response = await world.post(path, body, undefined, headers);

  expect(response.status).toBe(400);
  expect(JSON.stringify(await errorOf(response))).toContain(where);
});

import { defineTool } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { callTool, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { createWorld } from "../world.ts";
import { expectSameElsewhere } from "../same-elsewhere.ts";

/** A tool whose outputs are this long. */
const look = (chars: number, ephemeral?: number) =>
  defineTool({
    name: "look",
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    ...(ephemeral !== undefined && { ephemeral }),
    execute: () => "x".repeat(chars),
  });

const steps = (count: number): ScriptItem[] => [
  ...Array.from({ length: count }, () => callTool("look")),
  say("Done"),
];

/** How many outputs a request shows, and how many notes in the place of one. */
function outputsIn(messages: readonly ChatMessage[] = []): [shown: number, leftOut: number] {
  const outputs = messages.filter(({ role }) => role === "tool");
  const notes = outputs.filter((message) => JSON.stringify(message).includes("left out"));
  return [outputs.length - notes.length, notes.length];
}

describe("an ephemeral tool", () => {
  test("keeps its last outputs, and makes room for many at once", async () => {
    const world = createWorld(steps(8), [look(10, 2)]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    expect(world.provider.requests.map(({ messages }) => outputsIn(messages))).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [2, 3],
      [3, 3],
      [4, 3],
      [2, 6],
    ]);
  });

  test("of which only the newest output is true keeps exactly that one", async () => {
    const world = createWorld(steps(4), [look(10, 1)]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    expect(world.provider.requests.map(({ messages }) => outputsIn(messages))).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  test("leaves the transcript as it is, and tells what was left out", async () => {
    const world = createWorld(steps(5), [look(10, 2)]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    const evicted = world
      .events(session.id)
      .filter(({ event }) => event.type === "context_evicted");
    expect(outputsIn(session.messages)).toEqual([5, 0]);
    expect(evicted).toMatchObject([{ event: { toolCallIds: { length: 3 } } }]);
    await expectSameElsewhere(world, session);
  });

  test("is shown the same by whoever goes on with the session", async () => {
    const world = createWorld([...steps(5), say("Here")], [look(10, 2)]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Look").response;
    await session.close();

    const elsewhere = await world.host().open(session.id);
    await elsewhere.send("And?").response;

    expect(outputsIn(world.provider.requests[6]?.messages)).toEqual([2, 3]);
  });
});

describe("outputs that are too much together", () => {
  test("make room, the oldest first, down to half of what they may have", async () => {
    const world = createWorld(steps(6), [look(1_000)], { outputs: { maxTotalChars: 4_500 } });
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    expect(world.provider.requests.map(({ messages }) => outputsIn(messages))).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [2, 3],
      [3, 3],
    ]);
  });

  test("never lose what the model has not seen, however large", async () => {
    const outputs = { maxTotalChars: 100, maxChars: 1_000 };
    const world = createWorld(steps(2), [look(1_000)], { outputs });
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    expect(world.provider.requests.map(({ messages }) => outputsIn(messages))).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
  });
});

test("outputs that are no longer than a note stay, however many there are", async () => {
  const world = createWorld(steps(12), [look(50)], { outputs: { maxTotalChars: 300 } });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Look").response;

  expect(outputsIn(world.provider.requests.at(-1)?.messages)).toEqual([12, 0]);
});

test("requests begin with the same messages, but for those behind an eviction", async () => {
  const world = createWorld(steps(12), [look(10, 2)]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Look").response;

  const requests = world.provider.requests.map(({ messages }) =>
    messages.map((one) => JSON.stringify(one)),
  );
  const changed = requests.slice(1).filter((request, place) => {
    const before = requests[place] ?? [];
    return before.some((message, index) => request[index] !== message);
  });
  const evictions = world.entries(session.id).filter(({ type }) => type === "eviction");
  expect(changed).toHaveLength(evictions.length);
});

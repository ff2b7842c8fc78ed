import { defineTool } from "@capstan/core";
import { callTool, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

const look = (ephemeral?: number) =>
  defineTool({
    name: "look",
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    ...(ephemeral !== undefined && { ephemeral }),
    execute: () => "x".repeat(10_000),
  });

const steps = (count: number): ScriptItem[] => [
  ...Array.from({ length: count }, () => callTool("look")),
  say("Done"),
];

/** What is counted, by hand: the parts of each request that stand where they stood in the one before. */
function measured({ provider }: World): number {
  const requests = provider.requests.map(({ messages }) =>
    messages.map((message) => JSON.stringify(message)),
  );
  let [repeated, total] = [0, 0];
  for (const [place, request] of requests.entries()) {
    if (place === 0) continue;
    const before = requests[place - 1] ?? [];
    const changed = request.findIndex((message, index) => message !== before[index]);
    repeated += request.slice(0, changed === -1 ? undefined : changed).join("").length;
    total += request.join("").length;
  }
  return repeated / total;
}

describe("how much of the requests repeats the ones before", () => {
  test("is not known before the second", async () => {
    const world = createWorld([say("Hi")]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Hello").response;

    expect(session.getUsage().cacheStability).toEqual({ session: undefined, turn: undefined });
  });

  test("is nearly all, as long as they only grow", async () => {
    const world = createWorld(steps(24), [look()]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    expect(session.getUsage().cacheStability.session).toBeGreaterThan(0.9);
    expect(session.getUsage().cacheStability.session).toBeCloseTo(measured(world), 1);
  });

  test("is less where outputs make room", async () => {
    const world = createWorld(steps(40), [look(2)]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    const { session: share = 1 } = session.getUsage().cacheStability;
    expect(share).toBeLessThan(0.8);
    expect(share).toBeCloseTo(measured(world), 1);
  });

  test("is told for the last turn, too", async () => {
    const world = createWorld([...steps(20), say("Here")], [look(2)]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Look").response;

    await session.send("And?").response;

    const { session: all = 1, turn = 0 } = session.getUsage().cacheStability;
    expect(turn).toBeGreaterThan(0.9);
    expect(all).toBeLessThan(turn);
  });

  test("is nothing where the instructions are others", async () => {
    const world = createWorld([say("Hi"), say("Hi")]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Hello").response;

    await session.configure({ instructions: "Be brief." });
    await session.send("Hello").response;

    expect(session.getUsage().cacheStability.turn).toBe(0);
  });

  test("is the same after a reload, and counts anew in a fork", async () => {
    const world = createWorld([...steps(12), say("Here")], [look(2)]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Look").response;

    const elsewhere = await world.host().open(session.id);
    const fork = await session.fork();
    const before = fork.getUsage().cacheStability;
    await fork.send("And?").response;

    expect(elsewhere.getUsage()).toEqual(session.getUsage());
    expect(before.session).toBeUndefined();
    expect(fork.getUsage().cacheStability.session).toBeGreaterThan(0.9);
  });
});

/** How much a host works on at once of what it finds due, and when it looks for more. */
import { callTool, deferredTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const patient = { pollMs: Infinity } as const;

/** Sessions whose process ended inside of a tool. */
async function abandon(world: World, ids: readonly string[]): Promise<void> {
  const host = world.host(patient);
  for (const id of ids) {
    host.createSession({ agent: "helper", id }).send("Hello", { id });
    await world.clock.advance(1);
  }
  await host.close();
}

function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `s${i}`);
}

function worldOf(count: number) {
  const tool = deferredTool({ effect: "idempotent" });
  const calls = idsOf(count).map(() => callTool("deferred"));
  const replies = idsOf(count).map(() => say("Done"));
  return { tool, world: createWorld([...calls, ...replies], [tool]) };
}

/** Sessions that were resumed, in the order of their resumes. */
function resumed(tool: ReturnType<typeof deferredTool>, before: number): string[] {
  return tool.started.slice(before).map(({ toolCallId }) => toolCallId.split("_")[0] ?? "");
}

test("everything that is due is claimed at once, if there are slots enough", async () => {
  const { tool, world } = worldOf(250);
  await abandon(world, idsOf(250));

  await world.host(patient).claimDue();
  await world.clock.advance(0);

  expect(new Set(resumed(tool, 250)).size).toBe(250);
});

test("a host works on as many as it has slots, and takes the next as soon as one is free", async () => {
  const { tool, world } = worldOf(4);
  await abandon(world, idsOf(4));
  const host = world.host({ ...patient, maxTurns: 2 });

  await host.claimDue();
  await world.clock.advance(0);
  const first = resumed(tool, 4);
  tool.resolve("s1_1_0", "done");
  await world.clock.advance(0);

  expect(first).toEqual(["s0", "s1"]);
  expect(resumed(tool, 4)).toEqual(["s0", "s1", "s2"]);
});

test("what is sent here takes no slot", async () => {
  const { tool, world } = worldOf(2);
  await abandon(world, ["s0"]);
  const host = world.host({ ...patient, maxTurns: 1 });
  host.createSession({ agent: "helper", id: "own" }).send("Hello", { id: "own" });
  await world.clock.advance(0);

  await host.claimDue();
  await world.clock.advance(0);

  expect(resumed(tool, 1)).toEqual(["own", "s0"]);
});

test("a session that waits before it is resumed takes no slot", async () => {
  const { tool, world } = worldOf(2);
  await abandon(world, ["s0"]);
  for (const _ of ["once", "twice"]) {
    const host = world.host(patient);
    await host.claimDue();
    await world.clock.advance(1);
    await host.close();
  }
  await abandon(world, ["s1"]);
  const before = tool.started.length;

  await world.host({ ...patient, maxTurns: 1 }).claimDue();
  await world.clock.advance(0);

  expect(resumed(tool, before)).toEqual(["s1"]);
});

test("a host looks when a lease runs out, if the store foretells it, and not at its next poll", async () => {
  const { tool, world } = worldOf(1);
  await abandon(world, ["s0"]);
  const { clock, repository } = world;
  repository.acquire("s0", "a host that vanished", 3_000);
  const endsAt = clock.now() + 3_000;
  const foretelling = Object.assign(repository, {
    nextDueInMs: () => (clock.now() < endsAt ? endsAt - clock.now() : undefined),
  });
  world.host({ pollMs: 2_000, repository: foretelling });

  await clock.advance(2_999);
  const before = resumed(tool, 1);
  await clock.advance(1);

  expect(before).toEqual([]);
  expect(resumed(tool, 1)).toEqual(["s0"]);
});

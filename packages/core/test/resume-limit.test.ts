/** A turn whose process ends each time: it is resumed a few times, later each time, and then ends. */
import type { HostFault } from "@capstan/core";
import { callTool, checkTranscript, deferredTool, failBefore, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const patient = { pollMs: Infinity } as const;

/** A host takes the turn over, waits for it, and is gone. */
async function resumeOnce(world: World): Promise<void> {
  const host = world.host(patient);
  await host.claimDue();
  await world.clock.advance(61_000);
  await host.close();
}

async function resume(world: World, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await resumeOnce(world);
}

async function begin(world: World): Promise<void> {
  const host = world.host(patient);
  host.createSession({ agent: "helper", id: "s" }).send("Hello", { id: "t1" });
  await world.clock.advance(0);
  await host.close();
}

const stalls = (count: number) => Array.from({ length: count }, () => stall());

test("a turn that never gets further ends after eight resumes, and the session can be used again", async () => {
  const world = createWorld([...stalls(9), say("Well")]);
  await begin(world);

  await resume(world, 20);
  const session = await world.host(patient).open("s");
  const next = await session.send("Again").response;

  expect(world.entries("s").find(({ type }) => type === "turn_ended")).toMatchObject({
    turnId: "t1",
    finishReason: "error",
    error: { name: "SessionError", code: "resume_limit" },
    usage: { unreportedAttempts: 9 },
  });
  expect(world.provider.requests).toHaveLength(10);
  expect(next).toMatchObject({ status: "completed", text: "Well" });
  expect(checkTranscript(session.messages)).toEqual([]);
});

test("a result in between counts as getting further", async () => {
  const tool = deferredTool({ effect: "idempotent" });
  const world = createWorld([callTool("deferred"), ...stalls(9)], [tool]);
  await begin(world);
  await resume(world, 5);
  const host = world.host(patient);
  await host.claimDue();
  await world.clock.advance(61_000);
  tool.resolve("t1_1_0", "done");
  await world.clock.advance(0);
  await host.close();

  await resume(world, 7);

  expect(world.entries("s").some(({ type }) => type === "turn_ended")).toBe(false);
  expect(world.entries("s").filter(({ type }) => type === "turn_resumed")).toHaveLength(13);
});

test("the third resume waits for a second, and the next ones for longer", async () => {
  const world = createWorld(stalls(9));
  await begin(world);
  await resume(world, 2);
  const host = world.host(patient);

  await host.claimDue();
  await world.clock.advance(999);
  const before = world.provider.requests.length;
  await world.clock.advance(1);

  expect([before, world.provider.requests.length]).toEqual([3, 4]);
});

test("an abort ends the wait, and the turn", async () => {
  const world = createWorld(stalls(9));
  await begin(world);
  await resume(world, 4);
  const session = await world.host(patient).open("s");
  await world.clock.advance(0);

  await session.abort("enough");
  await session.waitForIdle();

  expect(world.provider.requests).toHaveLength(5);
  expect(world.entries("s").at(-1)).toMatchObject({ finishReason: "aborted" });
});

test("a host that is closed in the wait leaves the turn to others, uncounted", async () => {
  const world = createWorld(stalls(9));
  await begin(world);
  await resume(world, 4);
  const host = world.host(patient);
  await host.claimDue();
  await world.clock.advance(0);

  await host.close();

  expect(world.entries("s").filter(({ type }) => type === "turn_resumed")).toHaveLength(4);
});

test("calls that were under way at the limit are closed for the model", async () => {
  const tool = deferredTool({ effect: "idempotent" });
  const world = createWorld([callTool("deferred"), say("Well")], [tool]);
  await begin(world);

  await resume(world, 9);
  const session = await world.host(patient).open("s");

  expect(session.status).toBe("error");
  expect(session.messages.at(-1)).toMatchObject({ role: "tool", isError: true });
  expect(checkTranscript(session.messages)).toEqual([]);
});

test("a turn that fails so is reported by the host that ends it", async () => {
  const faults: HostFault[] = [];
  const world = createWorld(stalls(2));
  await begin(world);
  await resume(world, 1);
  const host = world.host({ ...patient, maxResumes: 1, onError: (fault) => faults.push(fault) });

  await host.claimDue();
  await world.clock.advance(0);

  expect(faults).toMatchObject([
    { where: "turn", turnId: "t1", error: { turnError: { code: "resume_limit" } } },
  ]);
});

test("attempts of processes that are gone count against the retries of a step", async () => {
  const script = [...stalls(3), failBefore("overloaded"), say("One too many")];
  const world = createWorld(script, [], { retry: { maxAttempts: 3 } });
  await begin(world);

  await resume(world, 3);

  expect(world.provider.requests).toHaveLength(4);
  expect(world.entries("s").at(-1)).toMatchObject({ error: { code: "overloaded" } });
});

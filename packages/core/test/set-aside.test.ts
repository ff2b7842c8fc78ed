/** A session that no host can go on with: it is set aside with a reason, and can be released. */
import type { HostFault, HostOptions } from "@capstan/core";
import { createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { invalidEntry } from "@capstan/log";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

/** A store that takes no entries, but heads: what happens cannot be recorded. */
function withoutEntries(
  store: SessionRepository,
  isBroken: () => boolean,
  why: string,
): SessionRepository {
  const append: SessionRepository["append"] = (id, entries, options) => {
    if (entries.length > 0 && isBroken()) throw invalidEntry(id, why);
    return store.append(id, entries, options);
  };
  return { ...store, append };
}

function brokenWorld(
  why = "it is larger than the store takes",
  options: Partial<HostOptions> = {},
) {
  const world = createWorld([say("Hi"), say("Hi")]);
  const state = { isBroken: true };
  const repository = withoutEntries(world.repository, () => state.isBroken, why);
  const faults: HostFault[] = [];
  const host = world.host({ repository, onError: (fault) => faults.push(fault), ...options });
  return { ...world, state, repository, faults, host };
}

test("what cannot even be recorded as failed is set aside, with the reason in the list", async () => {
  const { host, faults, clock } = brokenWorld();
  const turn = host.createSession({ agent: "helper", id: "s" }).send("Hello");

  const response = await turn.response;
  await clock.advance(60_000);

  expect(response).toMatchObject({ status: "error", error: { code: "engine_failed" } });
  const [listed] = (await host.list()).sessions;
  expect(listed?.head.setAside?.reason).toContain("larger than the store takes");
  expect(faults.map(({ where }) => where)).toEqual(["engine"]);
});

test("a reason of any length is kept as far as a list can show it", async () => {
  const { host } = brokenWorld("x".repeat(50_000));

  await host.createSession({ agent: "helper", id: "s" }).send("Hello").response;

  const [listed] = (await host.list()).sessions;
  expect(listed?.head.setAside?.reason).toHaveLength(1_000);
});

test("a host that has found a session set aside keeps no other from releasing it", async () => {
  const world = brokenWorld();
  const session = world.host.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;
  // The session is set aside, so this fails: it is how the host finds out.
  await session.compact().catch(() => {});

  const isReleased = await createHost({
    agents: [world.agent],
    repository: world.repository,
    clock: world.clock,
    pollMs: Infinity,
  }).release("s");

  expect(isReleased).toBe(true);
});

test("what is sent to a session that was set aside fails with the reason, and waits in the log", async () => {
  const { host } = brokenWorld();
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;

  const again = await session.compact().catch((thrown: unknown) => thrown);

  expect(again).toMatchObject({ code: "set_aside" });
});

test("a released session goes on where it was", async () => {
  const { host, state, clock } = brokenWorld();
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;
  state.isBroken = false;

  const isReleased = await host.release("s");
  await clock.advance(1_000);
  await session.waitForIdle();

  expect(isReleased).toBe(true);
  expect(session.messages.at(-1)).toMatchObject({ role: "assistant" });
  expect((await host.list()).sessions[0]?.head.setAside).toBeUndefined();
});

test("a session that is released in one process goes on in another, at once", async () => {
  const world = brokenWorld();
  await world.host.createSession({ agent: "helper", id: "s" }).send("Hello").response;
  await world.host.close();
  world.state.isBroken = false;
  const options = { agents: [world.agent], repository: world.repository, clock: world.clock };
  const releaser = createHost({ ...options, pollMs: Infinity });
  const other = createHost({ ...options, pollMs: Infinity });

  await releaser.release("s");
  await other.claimDue();
  await world.clock.advance(0);

  expect(world.entries("s").at(-1)).toMatchObject({ type: "turn_ended", finishReason: "stop" });
  await Promise.all([releaser.close(), other.close()]);
});

test("a released session goes on in its own process without a search for it", async () => {
  const { host, state } = brokenWorld(undefined, { pollMs: Infinity });
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;
  state.isBroken = false;

  await host.release("s");
  await session.waitForIdle();

  expect(session.messages.at(-1)).toMatchObject({ role: "assistant" });
});

test("a log that cannot be read is reported, once", async () => {
  const world = createWorld([say("Hi")]);
  const faults: HostFault[] = [];
  const first = world.host();
  await first.createSession({ agent: "helper", id: "s" }).send("Hello").response;
  await first.close();
  // A corrupt entry, as nothing in this program would write it.
  world.repository.post("s", { v: 1, id: "x", at: 0, type: "steer" } as never);

  await world.host({ onError: (fault) => faults.push(fault) }).claimDue();
  await world.clock.advance(60_000);

  expect(faults).toMatchObject([{ where: "engine", error: { code: "corrupt_entry" } }]);
});

test("there is nothing to release of a session that was not set aside, and of none", async () => {
  const { host, state } = brokenWorld();
  state.isBroken = false;
  await host.createSession({ agent: "helper", id: "s" }).send("Hello").response;

  await expect(host.release("s")).resolves.toBe(false);
  await expect(host.release("none")).rejects.toMatchObject({
    name: "SessionError",
    code: "not_found",
  });
});

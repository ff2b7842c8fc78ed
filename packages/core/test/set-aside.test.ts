/** A session that no host can go on with: it is set aside with a reason, and can be released. */
import type { HostFault } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { invalidEntry } from "@capstan/log";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

/** A store that takes no entries, but heads: what happens cannot be recorded. */
function withoutEntries(store: SessionRepository, isBroken: () => boolean): SessionRepository {
  const append: SessionRepository["append"] = (id, entries, options) => {
    if (entries.length > 0 && isBroken())
      throw invalidEntry(id, "it is larger than the store takes");
    return store.append(id, entries, options);
  };
  return { ...store, append };
}

function brokenWorld() {
  const world = createWorld([say("Hi"), say("Hi")]);
  const state = { isBroken: true };
  const repository = withoutEntries(world.repository, () => state.isBroken);
  const faults: HostFault[] = [];
  const host = world.host({ repository, onError: (fault) => faults.push(fault) });
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

test("there is nothing to release of a session that was not set aside, and of none", async () => {
  const { host, state } = brokenWorld();
  state.isBroken = false;
  await host.createSession({ agent: "helper", id: "s" }).send("Hello").response;

  await expect(host.release("s")).resolves.toBe(false);
  await expect(host.release("none")).rejects.toMatchObject({ code: "not_found" });
});

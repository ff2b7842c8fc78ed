import type { SessionRepository } from "@capstan/log";
import { RepositoryError, memoryRepository } from "@capstan/log";
import { manualClock, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { faultsOf, ordersOf } from "./replaced-session.ts";
import { createWorld } from "./world.ts";

test.each([
  [4, 2],
  [3, 3],
])(
  "in every order of %i steps by %i hosts, a call gives the session that is there, or none",
  async (steps, hosts) => {
    const faults: string[] = [];

    for (const order of ordersOf(steps, hosts)) {
      const clock = manualClock(1_000);
      const found = await faultsOf(order, memoryRepository({ now: clock.now }), clock);
      if (found.length > 0) faults.push(`${JSON.stringify(order)}: ${found.join(", ")}`);
    }

    expect(faults.slice(0, 3)).toEqual([]);
  },
  120_000,
);

/** A session that host B has read and host A has deleted and begun again, shorter than before. */
async function replacedWorld() {
  const world = createWorld([say("One"), say("Two"), say("Three"), say("Four"), say("Five")]);
  const [a, b] = [world.host(), world.host()];
  const first = a.createSession({ agent: "helper", id: "chat" });
  await first.send("My secret").response;
  await first.send("And another").response;
  const old = await b.open("chat");
  const replace = async (): Promise<void> => {
    await a.delete("chat");
    await a.createSession({ agent: "helper", id: "chat" }).send("Fresh start").response;
  };
  return { world, a, b, old, replace };
}

const gone = { name: "SessionError", code: "not_found" };

test("a session that another host has begun again is opened as the new one", async () => {
  const { b, replace } = await replacedWorld();
  await replace();

  const session = await b.open("chat");

  expect(session.messages[0]).toMatchObject({ content: "Fresh start" });
});

test("an old handle reads nothing and writes nothing once its session is another one", async () => {
  const { world, old, replace } = await replacedWorld();
  await replace();
  const before = world.entries("chat").length;

  await expect(old.read()).rejects.toMatchObject(gone);
  await expect(old.snapshot()).rejects.toMatchObject(gone);
  await expect(old.fork()).rejects.toMatchObject(gone);
  await expect(old.steer("Late")).rejects.toMatchObject(gone);
  await expect(old.configure({ title: "Late" })).rejects.toMatchObject(gone);
  await expect(old.waitForIdle()).rejects.toMatchObject(gone);
  expect((await old.send("Late").response).error).toMatchObject(gone);

  expect(world.entries("chat")).toHaveLength(before);
});

test("the first word of an old handle is refused, before anything else told it", async () => {
  const { world, old, replace } = await replacedWorld();
  // As if no wake-up had come.
  await old.detach();
  await replace();

  const { error } = await old.send("Late").response;

  expect(error).toMatchObject(gone);
  expect(JSON.stringify(world.entries("chat"))).not.toContain("Late");
});

test("subscribers are told that their session has ended", async () => {
  const { old, replace, world } = await replacedWorld();
  const ends: unknown[] = [];
  old.subscribe(() => {}, { onEnd: (why) => ends.push(why) });
  old.subscribe(() => {}, { after: { seq: 0, n: 0 }, onEnd: (why) => ends.push(why) });
  await world.clock.advance(0);

  await replace();
  await world.clock.advance(0);

  expect(ends).toMatchObject([gone, gone]);
});

test("subscribers are told also if they hear only of the beginning of the new session", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const subscribe: SessionRepository["subscribe"] = (id, listener, options) =>
    world.repository.subscribe(
      id,
      (wakeup) => {
        if (wakeup.type === "changed" && wakeup.incarnation !== undefined) listener(wakeup);
      },
      options,
    );
  const [a, b] = [world.host(), world.host({ repository: { ...world.repository, subscribe } })];
  await a.createSession({ agent: "helper", id: "chat" }).send("My secret").response;
  const ends: unknown[] = [];
  (await b.open("chat")).subscribe(() => {}, { onEnd: (why) => ends.push(why) });

  await a.delete("chat");
  await a.createSession({ agent: "helper", id: "chat" }).send("Fresh start").response;
  await world.clock.advance(0);

  expect(ends).toMatchObject([gone]);
});

test("subscribers of the host that deletes are told as well", async () => {
  const { a, world } = await replacedWorld();
  const own = await a.open("chat");
  const ends: unknown[] = [];
  own.subscribe(() => {}, { onEnd: (why) => ends.push(why) });

  await a.delete("chat");
  await world.clock.advance(0);

  expect(ends).toMatchObject([gone]);
  expect(own.isGone).toBe(true);
});

test("subscribers are told if the store could not delete their session, and open it again", async () => {
  const world = createWorld([say("One")]);
  const down = new RepositoryError("unavailable", "chat", "The store is down");
  const repository = { ...world.repository, delete: () => Promise.reject(down) };
  const host = world.host({ repository });
  const session = host.createSession({ agent: "helper", id: "chat" });
  await session.send("Hello").response;
  const ends: unknown[] = [];
  session.subscribe(() => {}, { onEnd: (why) => ends.push(why) });

  await expect(host.delete("chat")).rejects.toMatchObject({ code: "unavailable" });

  expect(ends).toMatchObject([{ code: "host_closed" }]);
  expect((await host.open("chat")).messages).toHaveLength(2);
});

test("what waits in an old session ends when it is replaced", async () => {
  const world = createWorld([stall(), say("New")]);
  const [a, b] = [world.host(), world.host()];
  const turn = a.createSession({ agent: "helper", id: "chat" }).send("Old");
  const old = await b.open("chat");
  const followed = old.current;
  const idle = old.waitForIdle();
  const receipt = await old.followUp("Later");

  await a.delete("chat");
  await a.createSession({ agent: "helper", id: "chat" }).send("Fresh").response;

  await expect(idle).rejects.toMatchObject(gone);
  await expect(receipt.outcome).rejects.toMatchObject(gone);
  expect((await followed?.response)?.error).toMatchObject(gone);
  expect((await turn.response).status).toBe("error");
});

test("a session that is begun again and left unfinished is taken over with its own past", async () => {
  const world = createWorld([say("One"), stall(), say("Done")]);
  const process = mortal(world.repository);
  const a = world.host({ repository: process.repository, leaseMs: 1_000, pollMs: Infinity });
  const b = world.host({ leaseMs: 1_000, pollMs: Infinity });
  await a.createSession({ agent: "helper", id: "chat" }).send("My secret").response;
  await b.open("chat");
  await a.delete("chat");
  a.createSession({ agent: "helper", id: "chat" }).send("Fresh start");
  await world.clock.advance(0);
  process.die();

  await world.clock.advance(1_500);
  await b.claimDue();
  const taken = await b.open("chat");
  await taken.waitForIdle();

  expect(taken.status).toBe("completed");
  expect(JSON.stringify(world.provider.requests.at(-1)?.messages)).not.toContain("secret");
});

test("a session that is begun again is taken over with its own past, though it is as long as the old one", async () => {
  const world = createWorld([stall(), stall(), say("Done")]);
  const process = mortal(world.repository);
  const deaf: SessionRepository = { ...world.repository, subscribe: () => () => {} };
  const a = world.host({ repository: process.repository, leaseMs: 1_000, pollMs: Infinity });
  const b = world.host({ repository: deaf, leaseMs: 1_000, pollMs: Infinity });
  a.createSession({ agent: "helper", id: "chat" }).send("My secret");
  await world.clock.advance(0);
  await b.open("chat");
  const length = world.entries("chat").length;
  await a.delete("chat");
  a.createSession({ agent: "helper", id: "chat" }).send("Fresh start");
  await world.clock.advance(0);
  expect(world.entries("chat")).toHaveLength(length);
  process.die();

  await world.clock.advance(1_500);
  await b.claimDue();
  const taken = await b.open("chat");
  await taken.waitForIdle();

  expect(taken.status).toBe("completed");
  expect(JSON.stringify(world.provider.requests.at(-1)?.messages)).toContain("Fresh start");
});

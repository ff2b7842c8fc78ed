/** Turns that start in the write that posts their input, and everything that may come at the same moment. */
import type { Host } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import { say, stall } from "@capstan/testing";
import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { begun, countOf, distant, posting, typesOf, wholeTurn } from "./started-turns.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

function unreadable(): string {
  throw new Error("no such file");
}

const stores: [string, (store: SessionRepository) => SessionRepository][] = [
  ["at once", (store) => store],
  ["later", distant],
];

describe.each(stores)("a store that answers %s", (_, from) => {
  function hostOf(world: World): Host {
    return world.host({ repository: from(world.repository) });
  }

  test("a turn has the entries, in the order, and the events of a turn that starts after its input", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const session = await begun(hostOf(world));
    const seen: string[] = [];
    session.subscribe(({ type }) => seen.push(type));

    const { text } = await session.send("And?", { id: "t2" }).response;
    await session.waitForIdle();

    expect(text).toBe("Two");
    expect(typesOf(world, "t2")).toEqual(wholeTurn);
    const ids = world.entries("chat").map(({ id }) => id);
    expect(ids.slice(ids.indexOf("t2"))).toEqual([
      "t2",
      "t2~~1",
      "t2~~2",
      expect.stringMatching(/^\d+~\d+$/),
      expect.stringMatching(/^\d+~\d+$/),
      expect.stringMatching(/^\d+~\d+$/),
    ]);
    expect(seen.slice(0, 5)).toEqual([
      "turn_start",
      "message_start",
      "message_end",
      "step_start",
      "attempt_start",
    ]);
    expect(seen.slice(-2)).toEqual(["turn_end", "settled"]);
  });

  test("a subscriber that joins right after a send sees the turn from its start", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const session = await begun(hostOf(world));
    const seen: string[] = [];

    const turn = session.send("And?", { id: "t2" });
    session.subscribe(({ type }) => seen.push(type));
    await turn.response;

    expect(seen[0]).toBe("turn_start");
  });

  test("an abort right after a send ends the turn", async () => {
    const world = createWorld([say("One"), stall(), say("Two")]);
    const session = await begun(hostOf(world));

    const turn = session.send("And?", { id: "t2" });
    const aborted = session.abort();

    expect(await turn.response).toMatchObject({ status: "aborted", text: "" });
    await aborted;
    await session.waitForIdle();
    expect(countOf(world, "turn_ended")).toBe(2);
  });

  test("a message that steers right after a send starts no second turn at the same time", async () => {
    const world = createWorld([say("One"), say("Two"), say("Three")]);
    const session = await begun(hostOf(world));

    const turn = session.send("And?", { id: "t2" });
    await session.steer("Briefly");
    await turn.response;
    await session.waitForIdle();

    expect(countOf(world, "input")).toBe(2);
    expect(session.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("the same id sent twice at once is one turn", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const session = await begun(hostOf(world));

    const turns = [session.send("And?", { id: "t2" }), session.send("And?", { id: "t2" })];
    const texts = await Promise.all(turns.map(async ({ response }) => (await response).text));

    expect(texts).toEqual(["Two", "Two"]);
    await session.waitForIdle();
    expect(typesOf(world, "t2")).toEqual(wholeTurn);
  });

  test("a second input right after a send is refused, as the turn is unfinished", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const session = await begun(hostOf(world));

    const first = session.send("And?", { id: "t2" });
    const second = session.send("Or?", { id: "t3" });

    expect((await second.response).error?.code).toBe("turn_unfinished");
    expect((await first.response).text).toBe("Two");
  });

  test("settings that are changed right after a send count from the next turn on", async () => {
    const world = createWorld([say("One"), say("Two"), say("Three")]);
    const session = await begun(hostOf(world));

    const turn = session.send("And?", { id: "t2" });
    const configured = session.configure({ temperature: 0.5 });
    await turn.response;
    await configured;
    await session.send("Or?").response;

    const options = world.provider.requests.map(({ options: { temperature } }) => temperature);
    expect(options.slice(1)).toEqual([options[1], 0.5]);
  });

  test("a host that is closed right after a send leaves the turn to another", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const host = hostOf(world);
    const session = await begun(host);

    session.send("And?", { id: "t2" });
    await host.close();
    for (let i = 0; i < 10; i++) await nextTick();
    const again = await world.host().open("chat");
    await again.waitForIdle();

    expect(again.messages).toHaveLength(4);
    expect(countOf(world, "turn_ended")).toBe(2);
  });

  test("a session that is deleted right after a send is gone", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const host = hostOf(world);
    const session = await begun(host);

    const turn = session.send("And?", { id: "t2" });
    const told = turn.response.catch((thrown: unknown) => thrown);
    await host.delete("chat");
    await told;

    await expect(host.open("chat")).rejects.toMatchObject({ code: "not_found" });
  });

  test("a turn is planned once, and after its input is stored if planning takes time", async () => {
    const open = Promise.withResolvers<string>();
    let asked = 0;
    const instructions = (): Promise<string> => {
      asked += 1;
      return open.promise;
    };
    const world = createWorld([say("One")], [], { instructions });
    const session = hostOf(world).createSession({ agent: "helper", id: "chat" });

    const turn = session.send("Hi", { id: "t1" });
    await session.flush();
    const before = typesOf(world, "t1");
    open.resolve("Help");
    await turn.response;

    expect(before).toEqual(["input"]);
    expect(asked).toBe(1);
    expect(typesOf(world, "t1").slice(0, 3)).toEqual(["input", "turn_started", "prompt"]);
  });

  test("a plan that is ready before its input is stored is used", async () => {
    let asked = 0;
    const instructions = async (): Promise<string> => {
      asked += 1;
      return "Help";
    };
    const world = createWorld([say("One")], [], { instructions });
    const session = hostOf(world).createSession({ agent: "helper", id: "chat" });

    const { text } = await session.send("Hi", { id: "t1" }).response;

    expect([text, asked]).toEqual(["One", 1]);
  });

  test("a turn whose planning throws ends in that error, and its input is stored", async () => {
    const world = createWorld([say("One")], [], { instructions: unreadable });
    const session = hostOf(world).createSession({ agent: "helper", id: "chat" });

    const { error } = await session.send("Hi", { id: "t1" }).response;

    expect(error?.message).toContain("no such file");
    expect(typesOf(world, "t1")[0]).toBe("input");
    expect(countOf(world, "turn_ended")).toBe(1);
  });

  test("an input that was posted by another process in the meantime comes first", async () => {
    const world = createWorld([say("One"), say("Two"), say("Three")]);
    let isRacing = false;
    const repository = from(
      posting(world.repository, (id, entry, options) => {
        if (isRacing && options?.start !== undefined) {
          isRacing = false;
          world.repository.post(id, {
            v: 1,
            id: "other",
            at: 0,
            type: "config",
            config: { temperature: 0.5 },
          });
        }
        return world.repository.post(id, entry, options);
      }),
    );
    const session = await begun(world.host({ repository }));
    isRacing = true;

    const { text } = await session.send("And?", { id: "t2" }).response;
    await session.waitForIdle();

    expect(text).toBe("Two");
    expect(typesOf(world, "other")).toEqual(["config", ...wholeTurn]);
    expect(world.provider.requests[1]?.options.temperature).toBe(0.5);
  });

  test("a store that refuses the start of a turn stores its input, and the turn runs", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const repository = from(
      posting(world.repository, (id, entry, options) => {
        if (options?.start === undefined) return world.repository.post(id, entry, options);
        throw new RepositoryError("invalid_entry", id, "An id is taken");
      }),
    );
    const session = await begun(world.host({ repository }));

    expect((await session.send("And?", { id: "t2" }).response).text).toBe("Two");
    expect(typesOf(world, "t2")).toEqual(wholeTurn);
  });

  test("a store that ignores the start of a turn gets it with the first append", async () => {
    const world = createWorld([say("One"), say("Two")]);
    const repository = from(
      posting(world.repository, (id, entry, options) =>
        world.repository.post(id, entry, { ...options, start: undefined }),
      ),
    );
    const session = await begun(world.host({ repository }));

    expect((await session.send("And?", { id: "t2" }).response).text).toBe("Two");
    expect(typesOf(world, "t2")).toEqual(wholeTurn);
  });

  test.each([true, false])(
    "a store that fails in that write fails the send, which can be repeated (written: %s)",
    async (isWritten) => {
      const world = createWorld([say("One"), say("Two")]);
      let isAway = false;
      const repository = from(
        posting(world.repository, (id, entry, options) => {
          if (!isAway) return world.repository.post(id, entry, options);
          isAway = false;
          if (isWritten) void world.repository.post(id, entry, options);
          throw new RepositoryError("unavailable", id, "gone for a moment");
        }),
      );
      const session = await begun(world.host({ repository }));
      isAway = true;

      const failed = session.send("And?", { id: "t2" });
      expect((await failed.response).error?.code).toBe("unavailable");
      expect(world.provider.requests).toHaveLength(1);
      const again = session.send("And?", { id: "t2" });
      await world.clock.advance(60_000);

      expect((await again.response).text).toBe("Two");
      expect(countOf(world, "input")).toBe(2);
    },
  );
});

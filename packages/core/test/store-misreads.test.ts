import type { ReadPage, SessionRepository } from "@capstan/log";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

function misreading(
  store: SessionRepository,
  change: (page: ReadPage, after: number) => ReadPage,
): SessionRepository {
  return {
    ...store,
    read: async (id, options) => change(await store.read(id, options), options?.after ?? 0),
  };
}

test.each<[string, (page: ReadPage, after: number) => ReadPage]>([
  ["says that there is more and gives nothing", (page) => ({ ...page, entries: [], lastSeq: 99 })],
  ["gives the same entries again", (page) => ({ ...page, lastSeq: page.lastSeq + 1 })],
  ["leaves entries out", (page) => ({ ...page, entries: page.entries.slice(1) })],
])("a store that %s is an error, and is not asked for ever", async (_, change) => {
  const world = createWorld([say("One")]);
  await world.host().createSession({ agent: "helper", id: "chat" }).send("Hi").response;
  const repository = misreading(world.repository, change);

  const opened = world.host({ repository }).open("chat");

  await expect(opened).rejects.toMatchObject({ name: "SessionError", code: "unavailable" });
});

test("a store that was set back is an error to who has read further, and to nobody else", async () => {
  const world = createWorld([say("One")]);
  await world.host().createSession({ agent: "helper", id: "chat" }).send("Hi").response;
  let kept = Infinity;
  const repository = misreading(world.repository, ({ entries, ...page }) => ({
    ...page,
    entries: entries.filter(({ seq }) => seq <= kept),
    lastSeq: Math.min(page.lastSeq, kept),
  }));
  const host = world.host({ repository });
  const session = await host.open("chat");
  kept = 3;

  await expect(session.read()).rejects.toMatchObject({ code: "unavailable" });
  const again = await host.open("chat");
  expect((await again.read()).entries).toHaveLength(3);
});

test("a store that knows no incarnations is found out by a log that is too short", async () => {
  const world = createWorld([say("One"), say("Two"), say("Three")]);
  const a = world.host();
  const first = a.createSession({ agent: "helper", id: "chat" });
  await first.send("My secret").response;
  await first.send("And another").response;
  const repository = misreading(world.repository, (page) => ({ ...page, incarnation: undefined }));
  const old = await world.host({ repository }).open("chat");
  await a.delete("chat");
  await a.createSession({ agent: "helper", id: "chat" }).send("Fresh start").response;

  await expect(old.read()).rejects.toMatchObject({ name: "SessionError", code: "not_found" });
});

test("callers that keep asking for news do not keep each other waiting", async () => {
  const world = createWorld([say("One")]);
  await world.host().createSession({ agent: "helper", id: "chat" }).send("Hi").response;
  let reads = 0;
  const session: { refresh?: () => Promise<void> } = {};
  const repository = misreading(world.repository, (page) => {
    reads += 1;
    // Somebody asks again in every read.
    if (reads < 500) session.refresh?.().catch(() => {});
    return page;
  });
  const opened = await world.host({ repository }).open("chat");
  reads = 0;
  session.refresh = () => opened.refresh();

  await opened.refresh();

  expect(reads).toBeLessThan(5);
});

test("a conflict without anything new is an error, and the turn is not tried for ever", async () => {
  const world = createWorld([say("One")]);
  let appends = 0;
  const repository: SessionRepository = {
    ...world.repository,
    append: (id, entries, options) => {
      appends += 1;
      const { onlyIfSeq } = options;
      if (onlyIfSeq === undefined) return world.repository.append(id, entries, options);
      return { type: "conflict", lastSeq: onlyIfSeq };
    },
  };
  const session = world.host({ repository, pollMs: Infinity }).createSession({ agent: "helper" });

  session.send("Hi");
  await world.clock.advance(0);

  expect(appends).toBeLessThan(5);
});

test("a turn whose end never comes to be the last entry stops trying, and is said to", async () => {
  const world = createWorld([say("One")]);
  const faults: unknown[] = [];
  let posts = 0;
  const repository: SessionRepository = {
    ...world.repository,
    append(id, entries, options) {
      if (options.onlyIfSeq !== undefined && entries.some(({ type }) => type === "turn_ended")) {
        posts += 1;
        const noise = { v: 1, id: `noise-${posts}`, at: 1, type: "config", config: {} } as const;
        world.repository.post(id, noise);
      }
      return world.repository.append(id, entries, options);
    },
  };
  const onError = ({ error }: { readonly error: unknown }): void => void faults.push(error);
  const host = world.host({ repository, onError, pollMs: Infinity });

  host.createSession({ agent: "helper", id: "chat" }).send("Hi");
  await world.clock.advance(0);

  expect(posts).toBe(1_000);
  expect(faults).toMatchObject([{ code: "unavailable" }]);
});

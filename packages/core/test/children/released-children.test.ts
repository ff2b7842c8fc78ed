/** Children that have ended take no memory, even if readers followed them. */
import type { SessionRepository } from "@capstan/log";
import { callTool, deferredTool, say } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import { asTool, family, member } from "./family.ts";
import { ask, follow, haveAll } from "./tree.ts";

/** A store that counts the readers of each session: a session in memory is one. */
function counted(repository: SessionRepository): {
  readonly repository: SessionRepository;
  readonly readers: Map<string, number>;
} {
  const readers = new Map<string, number>();
  const add = (id: string, by: number): void => void readers.set(id, (readers.get(id) ?? 0) + by);
  return {
    readers,
    repository: {
      ...repository,
      subscribe(id, listener, options) {
        add(id, 1);
        const stop = repository.subscribe(id, listener, options);
        return () => {
          add(id, -1);
          stop();
        };
      },
    },
  };
}

test.each([false, true])(
  "a child leaves the memory when it has ended; followed: %s",
  async (isFollowed) => {
    const reader = member("reader", [say("one"), say("two")]);
    const world = family(
      member("root", [ask("reader", "A"), ask("reader", "B"), say("Done")], [asTool(reader)]),
    );
    const { repository, readers } = counted(world.repository);
    const session = world.host({ repository }).createSession({ agent: "root" });
    const seen = isFollowed ? follow(session) : [];

    await session.send("Go").response;
    if (isFollowed) await haveAll(world, session, [[seen]]);

    await vi.waitFor(() => {
      for (const id of world.childrenOf(session.id)) expect(readers.get(id)).toBe(0);
    });
    expect(readers.get(session.id)).toBe(1);
  },
);

test("a follower in another process keeps a child only while it works", async () => {
  const slow = deferredTool();
  const reader = member("reader", [callTool("deferred"), say("one")], [slow]);
  const world = family(member("root", [ask("reader", "A"), say("Done")], [asTool(reader)]));
  const session = world.host().createSession({ agent: "root" });
  await session.create();
  const { repository, readers } = counted(world.repository);
  const elsewhere = await world.host({ repository }).open(session.id);
  const seen = follow(elsewhere);
  const turn = session.send("Go");
  const [call] = await slow.whenStarted(1);
  const [childId = ""] = world.childrenOf(session.id);
  await vi.waitFor(() => expect(readers.get(childId)).toBe(1));

  slow.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;
  await haveAll(world, session, [[seen]]);

  await vi.waitFor(() => expect(readers.get(childId)).toBe(0));
});

test("a child that a caller has opened stays open when it has ended", async () => {
  const slow = deferredTool();
  const reader = member("reader", [callTool("deferred"), say("one")], [slow]);
  const world = family(member("root", [ask("reader", "A"), say("Done")], [asTool(reader)]));
  const { repository, readers } = counted(world.repository);
  const host = world.host({ repository });
  const session = host.createSession({ agent: "root" });
  follow(session);
  const turn = session.send("Go");
  const [call] = await slow.whenStarted(1);
  const [childId = ""] = world.childrenOf(session.id);
  const child = await host.open(childId);

  slow.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;
  await session.waitForIdle();
  await child.waitForIdle();

  expect(readers.get(childId)).toBe(1);
  await child.detach();
  await vi.waitFor(() => expect(readers.get(childId)).toBe(0));
});

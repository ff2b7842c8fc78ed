/** Sessions of hosts that read them from their last checkpoint. */
import { openSession } from "@capstan/core";
import type { Host, HostOptions, Session } from "@capstan/core";
import type { ChatMessage, ToolContract, ToolExecuteContext } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import { callTool, say, stall } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import type { SmallWorld, SmallWorldOptions } from "./context/compaction-world.ts";
import { long, shown, smallWorld, summary } from "./context/compaction-world.ts";

test("a host that reads the context asks the model the same as one that reads all", async () => {
  const script = [say("Fourth")];
  const world = await compactedWorld([...script, ...script]);
  const fork = await (await hostOf(world).open("long")).fork();
  await fork.run("And then?");

  const session = await hostOf(world, { reads: "context" }).open("long");
  await session.run("And then?");

  const [whole, part] = world.provider.requests.slice(-2).map(({ messages }) => messages);
  expect(JSON.stringify(part?.map(withoutId))).toBe(JSON.stringify(whole?.map(withoutId)));
  expect(session.getUsage().total).toEqual({
    inputTokens: 900,
    outputTokens: 20,
    unreportedAttempts: 4,
  });
  expect(session.title).toBe((await hostOf(world).open("long")).title);
});

test("it reads the entries from the checkpoint on, in one round trip", async () => {
  const world = await compactedWorld([]);
  const [repository, reads] = counted(world.repository);
  const session = await hostOf(world, { reads: "context", repository }).open("long");

  const [read] = reads;
  expect(reads).toHaveLength(1);
  expect(read).toBeLessThan(session.lastSeq / 2);
});

test("a log that was cut before its checkpoint is read from its first entry", async () => {
  const world = await compactedWorld([]);
  const store = world.repository;
  const repository: SessionRepository = {
    ...store,
    read(id, options) {
      const page = store.read(id, options);
      return options?.fromCheckpoint === true ? { ...page, entries: [] } : page;
    },
  };

  const session = await hostOf(world, { reads: "context", repository }).open("long");

  expect(session.messages).toEqual((await hostOf(world).open("long")).messages);
});

test("its handles have the messages since the last reply before the summary, and all when they are asked for", async () => {
  const world = await compactedWorld([]);
  const whole = await hostOf(world).open("long");
  const session = await hostOf(world, { reads: "context" }).open("long");
  const { state } = session;

  expect(textsOf(session.messages)).toEqual(["second", "Third", "third"]);
  expect(state.messages).toBe(session.messages);
  const all = await session.readMessages();

  expect(all).toEqual(whole.messages);
  expect(session.messages).toBe(all);
  expect(session.state.messages).toBe(all);
  expect(session.state).toEqual(whole.state);
});

test("sessions that are never read whole get further checkpoints", async () => {
  const world = await compactedWorld([summary, say("Fourth")]);
  const [repository, reads] = counted(world.repository);
  const session = await hostOf(world, { reads: "context", repository }).open("long");
  await session.compact();
  await session.run("And then?");

  const last = await hostOf(world, { reads: "context" }).open("long");

  expect(world.entries("long").filter(({ type }) => type === "checkpoint")).toHaveLength(2);
  expect(reads[0]).toBeLessThan(session.lastSeq / 2);
  expect(textsOf(last.messages)).toEqual(["third", "And then?", "Fourth"]);
  expect(await last.readMessages()).toEqual(
    await (await hostOf(world).open("long")).readMessages(),
  );
});

test("what needs the whole log reads it: snapshots, forks, pages, readings, and the events before", async () => {
  const world = await compactedWorld([]);
  const open = (): Promise<Session> => hostOf(world, { reads: "context" }).open("long");
  const whole = await hostOf(world).open("long");
  const part = { after: 0, maxEntries: 5, maxChars: 1_000_000 };

  expect((await (await open()).snapshot()).messages).toEqual(whole.messages);
  expect((await (await open()).read()).state.messages).toEqual(whole.messages);
  expect((await (await open()).readPage(part)).messages).toEqual(
    (await whole.readPage(part)).messages,
  );
  const fork = await (await open()).fork(whole.messages[1]?.id);
  expect(await fork.readMessages()).toEqual(whole.messages.slice(0, 2));
  expect(await eventsOf(await open())).toEqual(await eventsOf(whole));
});

test("a rewind to a message before the summary has it and those before it", async () => {
  const world = await compactedWorld([say("Again")]);
  const session = await hostOf(world, { reads: "context" }).open("long");
  const first = (await (await hostOf(world).open("long")).readMessages())[1];

  await session.rewind(first?.id ?? "");
  await session.run("Once more");

  expect(shown(world.provider.requests.at(-1)?.messages ?? [])).toEqual([
    "user: Hello",
    "assistant: first",
    "user: Once more",
  ]);
});

test("a rewind by another process is read with all messages", async () => {
  const world = await compactedWorld([]);
  const session = await hostOf(world, { reads: "context" }).open("long");
  const other = await hostOf(world).open("long");

  await other.rewind(other.messages[1]?.id ?? "");
  await session.refresh();

  expect(session.messages).toEqual(other.messages);
});

test("the id of an early input is its input still, and that of an early message is taken", async () => {
  const world = await compactedWorld([]);
  const session = await hostOf(world, { reads: "context" }).open("long");
  const before = session.lastSeq;

  const again = await session.send(long("Hello"), { id: "t1" }).response;
  const other = await session.send("Something else", { id: "t1" }).response;
  const followed = await (await session.follow("t1"))?.response;

  expect(again.text).toBe("first");
  expect(other.error?.code).toBe("id_conflict");
  expect(followed?.text).toBe("first");
  expect(session.lastSeq).toBe(before);
});

test("tools get the messages since then, and an early output by its reference", async () => {
  let given: readonly ChatMessage[] = [];
  const look = toolThat((_, { messages = [] }) => {
    given = messages;
    return "seen";
  });
  const world = await compactedWorld([callTool("look", {}), say("Fine")], {
    tools: [look],
    first: [callTool("look", {})],
  });
  const session = await hostOf(world, { reads: "context" }).open("long");
  const { toolCallId = "" } = (await (await hostOf(world).open("long")).readMessages()).find(
    ({ role }) => role === "tool",
  ) as { toolCallId?: string };

  await session.run("Look");

  expect(textsOf(given)).toEqual(["second", "Third", "third", "Look", "[look]"]);
  expect(await session.readOutput(toolCallId)).toBe("seen");
});

test("a turn that its process left is resumed from the checkpoint, with ids of its own", async () => {
  const world = await compactedWorld([callTool("once", {}), stall(), say("Done")], {
    tools: [{ ...toolThat(() => "done"), name: "once" }],
  });
  const first = hostOf(world);
  const left = (await first.open("long")).send("Go");
  for await (const event of left) if (event.type === "tool_execution_end") break;
  await first.close();

  const session = await hostOf(world, { reads: "context" }).open("long");
  await session.waitForIdle();

  const ids = (await session.readMessages()).map(({ id }) => id);
  expect(session.status).toBe("completed");
  expect(new Set(ids).size).toBe(ids.length);
  expect(textsOf(session.messages).slice(-2)).toEqual(["done", "Done"]);
});

test("a session without a summary is read whole, and so is one whose checkpoint is of another version", async () => {
  const world = await compactedWorld([]);
  const plain = hostOf(world).createSession({ agent: "helper", id: "plain" });
  await plain.loadHistory([{ role: "user", content: "Before" }]);
  const foreign: SessionRepository = {
    ...world.repository,
    read: (id, options) => {
      const page = world.repository.read(id, options);
      if (page instanceof Promise) throw new Error("It is in memory");
      const entries = page.entries.map((entry) =>
        entry.type === "checkpoint" ? { ...entry, state: { version: 99 } } : entry,
      );
      return { ...page, entries };
    },
  };

  const host = hostOf(world, { reads: "context" });
  const other = hostOf(world, { reads: "context", repository: foreign });

  expect(textsOf((await host.open("plain")).messages)).toEqual(["Before"]);
  expect((await other.open("long")).messages).toHaveLength(6);
});

test("an opened session may read its context, too, and nothing else is taken for it", async () => {
  const world = await compactedWorld([]);
  const { agent, repository, clock } = world;

  const session = await openSession({ agent, id: "long", repository, clock, reads: "context" });
  onTestFinished(() => session.close());

  expect(session.messages).toHaveLength(3);
  expect(() => hostOf(world, { reads: "some" as "all" })).toThrow(
    'The host\'s reads must be "all" or "context"',
  );
});

test("a history that was loaded is recorded in a checkpoint only once that saves entries", async () => {
  const world = smallWorld(Array.from({ length: 8 }, () => say("Yes")));
  const session = hostOf(world).createSession({ agent: "helper", id: "loaded" });
  const history = Array.from(
    { length: 20 },
    (_, n) => ({ role: "user", content: `${n}` }) as const,
  );
  await session.loadHistory(history);
  const hasCheckpoint = (): boolean =>
    world.entries("loaded").some(({ type }) => type === "checkpoint");

  await session.run("First");
  await session.run("Second");
  const early = hasCheckpoint();
  for (let turn = 3; turn <= 6; turn += 1) await session.run(`${turn}`);

  expect(early).toBe(false);
  expect(hasCheckpoint()).toBe(true);
});

/** A session of three turns, with a summary of the first two, and a checkpoint before the third. */
async function compactedWorld(
  script: readonly ScriptItem[],
  { tools = [], first = [] }: SmallWorldOptions & { first?: readonly ScriptItem[] } = {},
): Promise<SmallWorld> {
  const turns = [...first, say("first"), say("second"), summary, say("third")];
  const world = smallWorld([...turns, ...script], { tools });
  const host = hostOf(world);
  const session = host.createSession({ agent: "helper", id: "long" });
  await session.send(long("Hello"), { id: "t1" }).response;
  await session.send(long("Second"), { id: "t2" }).response;
  await session.compact();
  await session.send("Third", { id: "t3" }).response;
  await host.close();
  expect(world.entries("long").filter(({ type }) => type === "checkpoint")).toHaveLength(1);
  return world;
}

function hostOf(world: SmallWorld, options: Partial<HostOptions> = {}): Host {
  return world.host({ checkpointAfter: 1, ...options });
}

/** A store, and the number of entries that each read got. */
function counted(store: SessionRepository): [SessionRepository, number[]] {
  const counts: number[] = [];
  const repository: SessionRepository = {
    ...store,
    async read(id, options) {
      const page = await store.read(id, options);
      counts.push(page.entries.length);
      return page;
    },
  };
  return [repository, counts];
}

function toolThat(execute: (input: unknown, context: ToolExecuteContext) => string): ToolContract {
  return {
    name: "look",
    description: "Looks",
    effect: "at-most-once",
    inputSchema: { type: "object" },
    execute: async (input, context) => execute(input, context),
  };
}

async function eventsOf(session: Session): Promise<unknown[]> {
  const events: unknown[] = [];
  const last = session.cursor;
  await new Promise<void>((resolve) => {
    session.subscribe(
      (event, cursor) => {
        events.push([cursor, event]);
        if (cursor.seq === last.seq) resolve();
      },
      { after: { seq: 0, n: 0 } },
    );
  });
  return events;
}

function textsOf(messages: readonly ChatMessage[]): string[] {
  return shown(messages).map((text) => text.replace(/^\w+: /, ""));
}

function withoutId(message: ChatMessage): unknown {
  return { ...message, id: "" };
}

/** Hosts in processes of their own, on one store. */
import { randomUUID } from "node:crypto";
import { compareCursors, parseEntries } from "@capstan/log";
import type { Entry, SessionRepository } from "@capstan/log";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../open-store.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { startPostgres } from "../postgres-server.ts";
import { readAll } from "../samples.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { HostProcess } from "./host-process.ts";
import type { HostSettings } from "./host-worker.ts";

const server = await startPostgres();

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

type Skip = (reason: string) => void;

function mustServe(skip: Skip): PostgresServer {
  if (typeof server !== "string") return server;
  skip(server);
  throw new Error(server);
}

interface Ground extends AsyncDisposable {
  readonly id: string;
  readonly store: SessionRepository;
  /** One whose tools and model wait, or one in which nothing does. */
  start(settings?: Partial<HostSettings>): Promise<HostProcess>;
  entries(): Promise<Entry[]>;
}

/** If processes run on different machines, their death is not detectable: the lease has to expire. */
const isRemote = (kind: string): boolean => kind === "postgres";

function prepare(kind: string, skip: Skip): Ground {
  const folder = temporaryFolder();
  const where = isRemote(kind) ? mustServe(skip).url : folder.path;
  const store = openStore(kind, where);
  const id = randomUUID();
  const agent = `agent of ${id}`;
  const leaseMs = isRemote(kind) ? 1_000 : 600_000;
  const base: HostSettings = { kind, where, agents: [agent], leaseMs, isOpen: false };
  return {
    id,
    store,
    start: (settings) => HostProcess.start({ ...base, ...settings }),
    entries: async () => {
      const parsed = Array.from(parseEntries(await readAll(store, id)), ({ entry }) => entry);
      return parsed.filter((entry) => entry !== undefined);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
}

function typesOf(entries: readonly Entry[]): string[] {
  return entries.map(({ type }) => type);
}

/** The assistant messages that came to their end. */
function messagesIn(reports: HostProcess["events"]): unknown[] {
  const messages = reports.flatMap(({ event }) =>
    event.type === "message_end" ? [event.message] : [],
  );
  return messages.filter(({ role }) => role === "assistant");
}

const kinds = ["sqlite", "fs", "postgres"] as const;

test.for(kinds)(
  "%s: a turn whose process was killed in a tool is finished by another process",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    const first = await ground.start();
    first.tell({ type: "send", sessionId: ground.id, text: "wait" });
    await first.hear("waiting");

    await first.kill();
    await using second = await ground.start({ isOpen: true });
    second.tell({ type: "finish", sessionId: ground.id });
    await second.hear("finished");

    const entries = await ground.entries();
    expect(typesOf(entries)).toContain("turn_resumed");
    expect(entries.at(-1)).toMatchObject({ type: "turn_ended", finishReason: "stop" });
    expect(entries.filter(({ type }) => type === "tool_result")).toMatchObject([
      { toolName: "wait", result: { isError: true } },
    ]);
  },
);

test.for(kinds)(
  "%s: an unanswered call times out, even if the process that asked is gone",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    const first = await ground.start();
    first.tell({ type: "send", sessionId: ground.id, text: "ask" });
    const { response } = await first.hear("response");

    await first.kill();
    await using second = await ground.start({ isOpen: true });
    second.tell({ type: "follow", sessionId: ground.id });
    // A session that waits for an answer is idle as well, and the second process may be there before the time is over.
    await second.hear("event", ({ event }) => {
      return event.type === "turn_end" && event.finishReason === "stop";
    });

    expect(response.status).toBe("awaiting_tool_execution");
    const entries = await ground.entries();
    expect(entries.at(-1)).toMatchObject({ type: "turn_ended", finishReason: "stop" });
    expect(entries.filter(({ type }) => type === "tool_result")).toMatchObject([
      { toolName: "ask", result: { isError: true } },
    ]);
  },
);

test.for(kinds)("%s: a session that waits for answers has no lease", async (kind, { skip }) => {
  await using ground = prepare(kind, skip);
  await using first = await ground.start();
  first.tell({ type: "send", sessionId: ground.id, text: "wonder" });
  await first.hear("response");
  first.tell({ type: "finish", sessionId: ground.id });
  await first.hear("finished");

  const claim = await ground.store.acquire(ground.id, "another", 60_000);

  expect(claim?.head.status).toBe("awaiting_tool_execution");
});

test.for(kinds)(
  "%s: a host that has not got the agent leaves its sessions to those that have",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    const first = await ground.start();
    first.tell({ type: "send", sessionId: ground.id, text: "wait" });
    await first.hear("waiting");
    await first.kill();
    const before = await ground.entries();
    await using other = await ground.start({ agents: ["another"], isOpen: true });

    other.tell({ type: "look" });
    await other.hear("looked");
    const afterOther = await ground.entries();
    await using third = await ground.start({ isOpen: true });
    third.tell({ type: "finish", sessionId: ground.id });
    await third.hear("finished");

    expect(afterOther).toEqual(before);
    expect((await ground.entries()).at(-1)).toMatchObject({ type: "turn_ended" });
  },
);

test.for(kinds)(
  "%s: a host that closes hands over what it was doing, long before its lease is over",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    await using first = await ground.start({ leaseMs: 600_000 });
    first.tell({ type: "send", sessionId: ground.id, text: "wait" });
    await first.hear("waiting");
    await using second = await ground.start({ isOpen: true });

    first.tell({ type: "drain" });
    await first.hear("drained");
    second.tell({ type: "finish", sessionId: ground.id });
    await second.hear("finished");

    const entries = await ground.entries();
    expect(typesOf(entries)).toContain("turn_resumed");
    expect(entries.at(-1)).toMatchObject({ type: "turn_ended", finishReason: "stop" });
  },
);

test.for(kinds)(
  "%s: a reader that joins a turn of another process sees it from a snapshot to its end, without gap or repetition",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    await using first = await ground.start();
    first.tell({ type: "send", sessionId: ground.id, text: "talk" });
    await first.hear("waiting");
    await using reader = await ground.start();

    reader.tell({ type: "follow", sessionId: ground.id });
    const joined = await reader.hear("event", ({ event }) => event.type === "snapshot");
    first.tell({ type: "let" });
    await reader.hear("event", ({ event }) => event.type === "turn_end");

    expect(joined.event).toMatchObject({ message: { content: [{ text: "One, two, " }] } });
    const behind = reader.events.slice(reader.events.indexOf(joined) + 1);
    const deltas = behind.map(({ event }) => (event.type === "text_delta" ? event.delta : ""));
    // Text after the last frame that came in time is in the message.
    expect("three.").toContain(deltas.join(""));
    expect(messagesIn(behind)).toMatchObject([{ content: [{ text: "One, two, three." }] }]);
    const cursors = reader.events.map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.toSorted(compareCursors));
    const types = reader.events.map(({ event }) => event.type);
    expect(types.filter((type) => type === "turn_end")).toHaveLength(1);
  },
);

test.for(kinds)(
  "%s: who follows a turn whose process is killed follows it where it goes on",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip);
    const first = await ground.start();
    first.tell({ type: "send", sessionId: ground.id, text: "talk" });
    await first.hear("waiting");
    await using reader = await ground.start({ isOpen: true });
    reader.tell({ type: "follow", sessionId: ground.id });
    await reader.hear("event", ({ event }) => event.type === "snapshot");
    // One of the two goes on with it.
    await using second = await ground.start({ isOpen: true });
    second.tell({ type: "look" });

    await first.kill();
    const end = await reader.hear("event", ({ event }) => event.type === "turn_end");

    expect(end.event).toMatchObject({ finishReason: "stop" });
    expect(messagesIn(reader.events)).toMatchObject([{ content: [{ text: "One, two, three." }] }]);
    const types = reader.events.map(({ event }) => event.type);
    expect(types).toContain("attempt_discarded");
    const cursors = reader.events.map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.toSorted(compareCursors));
  },
);

test("postgres: a server that is killed in the middle of a turn and comes back is no end of the turn", async ({
  skip,
}) => {
  const { process: child } = mustServe(skip);
  if (child === undefined) skip("the server of DATABASE_URL is not ours to kill");
  await using ground = prepare("postgres", skip);
  await using first = await ground.start({ leaseMs: 2_000 });
  first.tell({ type: "send", sessionId: ground.id, text: "wait" });
  await first.hear("waiting");

  await child?.kill();
  first.tell({ type: "let" });
  await child?.start();
  first.tell({ type: "finish", sessionId: ground.id });
  await first.hear("finished");

  const entries = await ground.entries();
  expect(entries.filter(({ type }) => type === "turn_ended")).toMatchObject([
    { finishReason: "stop" },
  ]);
});

/** Durable writes of a turn, counted on every store: with a database elsewhere, each of them is a round trip. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { AgentInit, Host, SessionEvent } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { fromLoadAndSave, memoryRepository } from "@capstan/log";
import type { SessionRepository } from "@capstan/log";
import { durableObjectStore } from "@capstan/stores/durable-object";
import { postgres } from "@capstan/stores/postgres";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import driver from "postgres";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { skipMissing } from "../../../../test/runtimes.ts";
import { findWorkerd } from "../../../../test/workerd.ts";
import { openStore } from "../open-store.ts";
import { startPostgres } from "../postgres-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openObjects } from "../workerd/open-objects.ts";
import { countCommits } from "./wal-commits.ts";

const server = await startPostgres(["fsync=off"]);
const second = `counted_${process.pid}`;
if (typeof server !== "string") await administrate(server.url, `CREATE DATABASE ${second}`);
const workerd = findWorkerd();
const objects = workerd === undefined ? undefined : await openObjects(workerd);
let objectStores = 0;

afterAll(async () => {
  await objects?.stop();
  if (typeof server === "string") return;
  await administrate(server.url, `DROP DATABASE ${second} WITH (FORCE)`);
  await server.stop();
});

async function administrate(url: string, statement: string): Promise<void> {
  const sql = driver(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}

/** Methods that change what is stored. Renewals come by the clock, not by the turn. */
const writing = ["create", "append", "post", "acquire", "release", "putBlob"] as const;

interface Counted {
  readonly repository: SessionRepository;
  readonly writes: string[];
}

function counting(store: SessionRepository): Counted {
  const writes: string[] = [];
  const repository = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (writing.some((method) => method === name)) writes.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { repository, writes };
}

/** Notes how many writes there were at each request. */
function watched(provider: ProviderContract, { writes }: Counted): [ProviderContract, number[]] {
  const before: number[] = [];
  const stream: ProviderContract["stream"] = (request) => {
    before.push(writes.length);
    return provider.stream(request);
  };
  return [{ id: provider.id, stream }, before];
}

type Skip = (why: string) => never;

function openKind(kind: string, folder: string, skip: Skip): SessionRepository {
  switch (kind) {
    case "memory":
      return memoryRepository();
    case "load-and-save":
      return inMap();
    case "durable-object":
      objectStores += 1;
      return durableObjectStore((objects ?? skipMissing("workerd", skip)).bindings, {
        name: `counted ${objectStores}`,
      });
    case "postgres":
      return openStore(kind, urlOr(skip));
    case "postgres-shards": {
      const url = urlOr(skip);
      return postgres([url, Object.assign(new URL(url), { pathname: `/${second}` }).href]);
    }
    default:
      return openStore(kind, folder);
  }
}

function urlOr(skip: Skip): string {
  return typeof server === "string" ? skip(server) : server.url;
}

function inMap(): SessionRepository {
  const saved = new Map<string, string>();
  return fromLoadAndSave({
    load: async (id) => JSON.parse(saved.get(id) ?? "null") ?? undefined,
    save: async (id, session) => {
      saved.set(id, JSON.stringify(session));
    },
  });
}

function toolNamed(name: string, execute: () => Promise<string>) {
  return defineTool({ name, description: "Of a city", input: { type: "object" }, execute });
}

const weather = toolNamed("weather", async () => "Rain");

interface Ground extends AsyncDisposable {
  readonly host: Host;
  /** Folder of the store, if it is on this disk. */
  readonly folder: string;
  readonly writes: string[];
  /** Number of writes before each request so far. */
  readonly before: readonly number[];
}

function prepare(
  kind: string,
  skip: Skip,
  script: readonly ScriptItem[],
  settings: Partial<AgentInit> = {},
  first: ScriptItem = say("Hello"),
): Ground {
  const folder = temporaryFolder();
  const store = openKind(kind, folder.path, skip);
  const counted = counting(store);
  const [provider, before] = watched(scriptedProvider([first, ...script]), counted);
  const agent = createAgent({ name: "helper", model: provider, tools: [weather], ...settings });
  const host = createHost({ agents: [agent], repository: counted.repository, pollMs: Infinity });
  return {
    host,
    folder: folder.path,
    writes: counted.writes,
    before,
    async [Symbol.asyncDispose]() {
      await host.close();
      await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
      folder[Symbol.dispose]();
    },
  };
}

interface CountOptions {
  /** Called with the events of the counted turn, as they are shown. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Whether the second message is sent as soon as the first is answered. */
  readonly isAtOnce?: boolean;
}

/** Sends a first message and then this one, whose writes are counted. */
async function countIn({ host, writes, before }: Ground, options: CountOptions = {}) {
  const { onEvent = () => {}, isAtOnce = false } = options;
  const session = host.createSession({ agent: "helper" });
  await session.send("Hi").response;
  if (!isAtOnce) await session.waitForIdle();
  const begun = writes.length;
  const turn = session.send("What is the weather?");
  for await (const event of turn) onEvent(event);
  await turn.response;
  await session.waitForIdle();
  const requests = before.slice(1).map((count) => count - begun);
  return { requests, total: writes.length - begun };
}

const kinds = [
  "memory",
  "load-and-save",
  "sqlite",
  "sqlite-full",
  "fs",
  "postgres",
  "postgres-shards",
  "durable-object",
];

test.for(kinds)(
  "%s: a turn of three steps makes 1 write before its first request, 2 for each tool step, 6 in all",
  async (kind, { skip }) => {
    const script = [callTool("weather"), callTool("weather"), say("It rains")];
    await using ground = prepare(kind, skip, script);

    expect(await countIn(ground)).toEqual({ requests: [1, 3, 5], total: 6 });
  },
);

test.for(kinds)(
  "%s: two calls at once take one write more, as the first result is shown before the second call ends",
  async (kind, { skip }) => {
    const shown = Promise.withResolvers<void>();
    const slow = toolNamed("slow", async () => {
      await shown.promise;
      return "Rain";
    });
    const script = [reply(callTool("slow"), callTool("weather")), say("It rains")];
    await using ground = prepare(kind, skip, script, { tools: [weather, slow] });
    const ends: string[] = [];
    const onEvent = (event: SessionEvent): void => {
      if (event.type !== "tool_execution_end") return;
      ends.push(event.toolName);
      shown.resolve();
    };

    const counted = await countIn(ground, { onEvent });

    expect(ends).toEqual(["weather", "slow"]);
    expect(counted).toEqual({ requests: [1, 4], total: 5 });
  },
);

test.for(kinds)("%s: a reply is shown before its calls end", async (kind, { skip }) => {
  const shown = Promise.withResolvers<void>();
  const patient = toolNamed("patient", async () => {
    await shown.promise;
    return "Rain";
  });
  const script = [callTool("patient"), say("It rains")];
  await using ground = prepare(kind, skip, script, { tools: [patient] });
  const onEvent = (event: SessionEvent): void => {
    if (event.type === "message_end" && event.message.role === "assistant") shown.resolve();
  };

  expect(await countIn(ground, { onEvent })).toEqual({ requests: [1, 3], total: 4 });
});

test.for(kinds)(
  "%s: a message that is sent as soon as the last is answered makes no more",
  async (kind, { skip }) => {
    const script = [callTool("weather"), callTool("weather"), say("It rains")];
    await using ground = prepare(kind, skip, script);

    expect(await countIn(ground, { isAtOnce: true })).toEqual({ requests: [1, 3, 5], total: 6 });
  },
);

test.for(kinds)(
  "%s: a pure call beside one with an intent makes no more writes than two of these",
  async (kind, { skip }) => {
    const look = { ...toolNamed("look", async () => "Clouds"), effect: "pure" as const };
    const script = [reply(callTool("look"), callTool("weather")), say("It rains")];
    await using ground = prepare(kind, skip, script, { tools: [look, weather] });

    expect(await countIn(ground)).toEqual({ requests: [1, 4], total: 5 });
  },
);

const forecast = z.object({ rain: z.boolean() });
const answer = say(JSON.stringify({ rain: true }));

test.for(kinds)(
  "%s: an answer that is checked is stored before the end, and its steps make no more writes",
  async (kind, { skip }) => {
    const script = [callTool("weather"), callTool("weather"), answer];
    await using ground = prepare(kind, skip, script, { output: forecast }, answer);

    expect(await countIn(ground)).toEqual({ requests: [1, 3, 5], total: 7 });
  },
);

test.for(kinds)(
  "%s: a callback that is asked after each step takes one write more for each tool step",
  async (kind, { skip }) => {
    const script = [callTool("weather"), callTool("weather"), say("It rains")];
    await using ground = prepare(kind, skip, script, { stopWhen: () => false });

    expect(await countIn(ground)).toEqual({ requests: [1, 4, 7], total: 8 });
  },
);

test.for(kinds)(
  "%s: the first turn of a session makes one write more, which creates it",
  async (kind, { skip }) => {
    await using ground = prepare(kind, skip, []);
    const session = ground.host.createSession({ agent: "helper" });

    await session.send("Hi").response;
    await session.waitForIdle();

    expect(ground.before).toEqual([2]);
    expect(ground.writes).toHaveLength(3);
  },
);

test.for(kinds)("%s: a turn that is one reply makes 2 writes", async (kind, { skip }) => {
  await using ground = prepare(kind, skip, [say("I do not know")]);

  expect(await countIn(ground)).toEqual({ requests: [1], total: 2 });
});

test.for(["sqlite", "sqlite-full"])("%s: each write is one transaction", async (kind, { skip }) => {
  const script = [callTool("weather"), callTool("weather"), say("It rains")];
  await using ground = prepare(kind, skip, script);
  const file = `${ground.folder}/sessions.db`;
  const begun = countCommits(file);

  await countIn(ground);

  expect(countCommits(file) - begun).toBe(ground.writes.length);
});

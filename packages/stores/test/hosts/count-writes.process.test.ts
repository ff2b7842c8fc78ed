/** Durable writes of a turn, counted on every store: with a database elsewhere, each of them is a round trip. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { Host } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { fromLoadAndSave, memoryRepository } from "@capstan/log";
import type { SessionRepository } from "@capstan/log";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../open-store.ts";
import { startPostgres } from "../postgres-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const server = await startPostgres(["fsync=off"]);

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

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

function openKind(kind: string, where: string): SessionRepository {
  if (kind === "memory") return memoryRepository();
  if (kind !== "load-and-save") return openStore(kind, where);
  const saved = new Map<string, string>();
  return fromLoadAndSave({
    load: async (id) => JSON.parse(saved.get(id) ?? "null") ?? undefined,
    save: async (id, session) => {
      saved.set(id, JSON.stringify(session));
    },
  });
}

const weather = defineTool({
  name: "weather",
  description: "Weather of a city",
  input: { type: "object" },
  execute: async () => "Rain",
});

interface Ground extends AsyncDisposable {
  readonly host: Host;
  readonly writes: string[];
  /** Number of writes before each request so far. */
  readonly before: readonly number[];
}

function prepare(kind: string, script: readonly ScriptItem[], skip: (why: string) => void): Ground {
  const folder = temporaryFolder();
  if (kind === "postgres" && typeof server === "string") skip(server);
  const where = kind === "postgres" && typeof server !== "string" ? server.url : folder.path;
  const store = openKind(kind, where);
  const counted = counting(store);
  const [provider, before] = watched(scriptedProvider([say("Hello"), ...script]), counted);
  const agent = createAgent({ name: "helper", model: provider, tools: [weather] });
  const host = createHost({ agents: [agent], repository: counted.repository, pollMs: Infinity });
  return {
    host,
    writes: counted.writes,
    before,
    async [Symbol.asyncDispose]() {
      await host.close();
      await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
      folder[Symbol.dispose]();
    },
  };
}

/** Sends a first message and then this one, whose writes are counted. `isAtOnce`: as soon as the first is answered. */
async function countIn({ host, writes, before }: Ground, isAtOnce = false) {
  const session = host.createSession({ agent: "helper" });
  await session.send("Hi").response;
  if (!isAtOnce) await session.waitForIdle();
  const begun = writes.length;
  await session.send("What is the weather?").response;
  await session.waitForIdle();
  const requests = before.slice(1).map((count) => count - begun);
  return { requests, total: writes.length - begun };
}

const kinds = ["memory", "load-and-save", "sqlite", "sqlite-full", "fs", "postgres"];

test.for(kinds)(
  "%s: a turn of three steps makes 1 write before its first request, 2 for each tool step, 6 in all",
  async (kind, { skip }) => {
    const script = [callTool("weather"), callTool("weather"), say("It rains")];
    await using ground = prepare(kind, script, skip);

    expect(await countIn(ground)).toEqual({ requests: [1, 3, 5], total: 6 });
  },
);

test.for(kinds)(
  "%s: two calls at once take one write more, as the first result does not wait for the second",
  async (kind, { skip }) => {
    const script = [reply(callTool("weather"), callTool("weather")), say("It rains")];
    await using ground = prepare(kind, script, skip);

    const { requests, total } = await countIn(ground);

    expect(requests[0]).toBe(1);
    expect(total).toBeLessThanOrEqual(5);
  },
);

test.for(["load-and-save", "postgres"])(
  "%s, which answers later: a message that is sent as soon as the last is answered makes no more",
  async (kind, { skip }) => {
    await using ground = prepare(kind, [say("I do not know")], skip);

    expect(await countIn(ground, true)).toEqual({ requests: [1], total: 2 });
  },
);

test.for(kinds)("%s: a turn that is one reply makes 2 writes", async (kind, { skip }) => {
  await using ground = prepare(kind, [say("I do not know")], skip);

  expect(await countIn(ground)).toEqual({ requests: [1], total: 2 });
});

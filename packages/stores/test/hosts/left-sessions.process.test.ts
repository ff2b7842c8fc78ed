/** Sessions that a killed process has left, and a host that was there before. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createAgent, createHost } from "@capstan/core";
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { invalidEntry } from "@capstan/log";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../open-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function idsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `s${n}`);
}

/** A process has begun a turn in each of them, and was killed. */
async function leave(kind: string, where: string, ids: readonly string[]): Promise<void> {
  const script = fileURLToPath(new URL("./standing-worker.ts", import.meta.url));
  const child = fork(script, [kind, where, JSON.stringify(ids)], {
    execArgv: ["--conditions=@capstan/source", "--no-warnings"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** A host that ends every turn it finds, and counts how often it was asked in each session. */
function takeOver(repository: SessionRepository, maxTurns: number) {
  const asked = new Map<string, number>();
  const faults: string[] = [];
  async function* stream({ conversationId }: ProviderRequest): AsyncGenerator<ProviderPart> {
    asked.set(conversationId, (asked.get(conversationId) ?? 0) + 1);
    yield { type: "text_delta", delta: "Done" };
    yield { type: "finish", reason: "stop" };
  }
  const agent = createAgent({ name: "stander", model: { id: "m", stream }, compaction: false });
  const onError = ({ sessionId }: { readonly sessionId?: string }): void => {
    faults.push(sessionId ?? "");
  };
  const host = createHost({ agents: [agent], repository, pollMs: 100, maxTurns, onError });
  onTestFinished(() => host.close());
  return { host, asked, faults };
}

async function completedIn(repository: SessionRepository): Promise<number> {
  const { sessions } = await repository.list({ limit: 1_000 });
  return sessions.filter(({ head }) => head.status === "completed").length;
}

async function untilCompleted(repository: SessionRepository, count: number): Promise<void> {
  const look = async (): Promise<void> => {
    expect(await completedIn(repository)).toBe(count);
  };
  await vi.waitFor(look, { timeout: 25_000, interval: 100 });
}

test.each([1_000, 40])(
  "a thousand sessions of a killed process are each resumed once, with %i slots",
  async (slots) => {
    using folder = temporaryFolder();
    const ids = idsOf(1_000);
    await leave("sqlite", folder.path, ids);
    await using store = openStore("sqlite", folder.path);
    const { asked, faults } = takeOver(store, slots);

    await untilCompleted(store, ids.length);

    expect(asked.size).toBe(ids.length);
    expect([...asked.values()].filter((count) => count !== 1)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

/** Its content is no longer valid JSON. */
function damage(kind: string, where: string, id: string): void {
  if (kind === "sqlite") {
    const database = new DatabaseSync(join(where, "sessions.db"));
    const changed = database
      .prepare(
        `UPDATE entries SET body = replace(body, '"Stand', '?Stand') WHERE session = (SELECT n FROM sessions WHERE id = ?)`,
      )
      .run(id);
    database.close();
    expect(Number(changed.changes)).toBeGreaterThan(0);
    return;
  }
  const files = readdirSync(where, { recursive: true, encoding: "utf8", withFileTypes: true });
  const logs = files
    .filter((file) => file.isFile() && file.parentPath.includes(`/${id}.`))
    .map((file) => join(file.parentPath, file.name));
  const log = logs.find((path) => readFileSync(path, "utf8").includes('"Stand'));
  expect(log).toBeDefined();
  const text = readFileSync(log ?? "", "utf8");
  writeFileSync(log ?? "", text.replace('"Stand', "?Stand"));
}

test.each(["sqlite", "fs"])(
  "%s: a session that is damaged on disk does not keep a host from the others",
  async (kind) => {
    using folder = temporaryFolder();
    await leave(kind, folder.path, ["damaged", ...idsOf(20)]);
    damage(kind, folder.path, "damaged");
    await using store = openStore(kind, folder.path);
    const { asked, faults } = takeOver(store, 1);

    await untilCompleted(store, 20);

    expect([...asked.keys()].toSorted()).toEqual(idsOf(20).toSorted());
    expect(new Set(faults)).toEqual(new Set(["damaged"]));
  },
);

/** The store as it is, but for the entries of one session. */
function refusing(store: SessionRepository, refused: string): SessionRepository {
  const methods = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
  const append: SessionRepository["append"] = (id, entries, options) => {
    if (id === refused && entries.length > 0) throw invalidEntry(id, "it is too large");
    return store.append(id, entries, options);
  };
  return new Proxy(methods, {
    get: (target, name) => (name === "append" ? append : Reflect.get(target, name)),
  });
}

test.each(["sqlite", "fs"])(
  "%s: a session whose entries are refused is set aside, and the others come to their end",
  async (kind) => {
    using folder = temporaryFolder();
    await leave(kind, folder.path, ["refused", ...idsOf(20)]);
    await using store = openStore(kind, folder.path);
    const { host } = takeOver(refusing(store, "refused"), 1);

    await untilCompleted(store, 20);
    await vi.waitFor(() => expect(host.setAsideCount).toBe(1), { timeout: 10_000 });

    const { sessions } = await store.list({ limit: 100 });
    const aside = sessions.filter(({ head }) => head.setAside !== undefined);
    expect(aside.map(({ id }) => id)).toEqual(["refused"]);
  },
);

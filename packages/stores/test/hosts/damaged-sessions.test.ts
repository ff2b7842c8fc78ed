import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAgent, createHost } from "@capstan/core";
import type { Host } from "@capstan/core";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { failureOf } from "../failure-of.ts";
import { openStore } from "../open-store.ts";
import { readAll } from "../samples.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function hostOn(store: StoreHandle, input = {}): Host {
  const model = scriptedProvider([callTool("echo", input), say("one"), say("two"), say("three")]);
  const agent = createAgent({ name: "helper", model, tools: [echoTool({ name: "echo" })] });
  return createHost({ agents: [agent], repository: store, onError() {} });
}

/** A session of two turns. The store is closed. */
async function twoTurns(kind: string, folder: string, input = {}): Promise<void> {
  await using store = openStore(kind, folder);
  const host = hostOn(store, input);
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.send("first question").response;
  await session.send("second question").response;
  await host.close();
}

/** Replaces text in the stored form of the session, wherever that is. */
const damage: Record<string, (folder: string, from: string, to: string) => void> = {
  sqlite(folder, from, to) {
    const database = new DatabaseSync(join(folder, "sessions.db"));
    database.prepare("UPDATE entries SET body = replace(body, ?, ?)").run(from, to);
    database.close();
  },
  fs(folder, from, to) {
    const path = join(
      folder,
      globSync("sessions/sessions/s.*/log.jsonl", { cwd: folder })[0] ?? "",
    );
    const [first, ...lines] = readFileSync(path, "utf8").split("\n");
    const damaged = lines.map((line) => (line.startsWith("{") ? line.replace(from, to) : line));
    writeFileSync(path, [first, ...damaged].join("\n"));
  },
};

/** Within the second turn: the reply is no JSON any more. */
const half = ['"text":"two"', '"text":"tw'] as const;

test.each(Object.entries(damage))(
  "%s: a damaged session does not open, and everything else of it can be read",
  async (kind, replace) => {
    using folder = temporaryFolder();
    await twoTurns(kind, folder.path);
    replace(folder.path, ...half);
    await using store = openStore(kind, folder.path);
    const host = hostOn(store);

    const failure = await failureOf(() => host.open("s"));
    const { entries, lost, fold } = await host.readDamaged("s");

    expect(failure).toMatchObject({ name: "LogError", code: "corrupt_entry" });
    expect(lost).toEqual([{ seq: (failure as { seq: number }).seq, reason: expect.any(String) }]);
    expect(entries).toHaveLength((entries.at(-1)?.seq ?? 0) - 1);
    const said = fold.transcript.messages.map(({ role }) => role);
    expect(said).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    await host.close();
  },
);

test.each(Object.entries(damage))(
  "%s: a repaired copy goes on from the last complete step, and the damaged session stays",
  async (kind, replace) => {
    using folder = temporaryFolder();
    await twoTurns(kind, folder.path);
    replace(folder.path, ...half);
    await using store = openStore(kind, folder.path);
    const host = hostOn(store);
    const before = await host.readDamaged("s");

    const repaired = await host.repair("s");

    const copy = await host.open(repaired?.id ?? "");
    expect(copy.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(await copy.send("third question").response).toMatchObject({ status: "completed" });
    expect(repaired?.lost).toEqual(before.lost);
    expect((await host.readDamaged("s")).entries).toEqual(before.entries);
    await host.close();
  },
);

test.each(Object.entries(damage))(
  "%s: a repaired copy has nothing of what was said after the damage, though that can be read",
  async (kind, replace) => {
    using folder = temporaryFolder();
    await twoTurns(kind, folder.path);
    replace(folder.path, '"text":"one"', '"text":"on');
    await using store = openStore(kind, folder.path);
    const host = hostOn(store);

    const { entries } = await host.readDamaged("s");
    const { id, keptThrough = 0, left, lost } = (await host.repair("s")) ?? {};

    const copy = await host.open(id ?? "");
    const complete = entries.filter(({ type }) => type === "tool_result")[0]?.seq;
    expect(copy.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect({ keptThrough, left }).toEqual({
      keptThrough: complete,
      left: entries.length - keptThrough,
    });
    expect(keptThrough).toBeLessThan((lost?.[0]?.seq ?? 0) - 1);
    await host.close();
  },
);

test.each(Object.entries(damage))(
  "%s: a repaired copy has the long outputs that its entries name",
  async (kind, replace) => {
    using folder = temporaryFolder();
    await twoTurns(kind, folder.path, { text: "x".repeat(200_000) });
    replace(folder.path, ...half);
    await using store = openStore(kind, folder.path);
    const host = hostOn(store);

    const { id = "" } = (await host.repair("s")) ?? {};

    const [, blob = ""] = /"blob":"([^"]+)"/.exec(JSON.stringify(await readAll(store, id))) ?? [];
    expect((await store.getBlob(id, blob))?.byteLength).toBeGreaterThan(200_000);
    await host.close();
  },
);

test.each(Object.entries(damage))(
  "%s: a session whose first entry is damaged cannot be repaired, and the rest can be read",
  async (kind, replace) => {
    using folder = temporaryFolder();
    await twoTurns(kind, folder.path);
    replace(folder.path, '"type":"created"', '"type":"crea');
    await using store = openStore(kind, folder.path);
    const host = hostOn(store);

    const failure = await failureOf(() => host.repair("s"));
    const { lost, fold } = await host.readDamaged("s");

    expect(failure).toMatchObject({ name: "LogError", code: "corrupt_entry", seq: 1 });
    expect(lost).toMatchObject([{ seq: 1 }]);
    expect(fold.transcript.length).toBe(6);
    await host.close();
  },
);

test("a sound session is read whole, and needs no repair", async () => {
  using folder = temporaryFolder();
  await twoTurns("sqlite", folder.path);
  await using store = openStore("sqlite", folder.path);
  const host = hostOn(store);

  const { entries, lost } = await host.readDamaged("s");

  expect(lost).toEqual([]);
  expect(entries).toEqual(await readAll(store, "s"));
  expect(await host.repair("s")).toBeUndefined();
  expect(await failureOf(() => host.repair("none"))).toMatchObject({ code: "not_found" });
  await host.close();
});

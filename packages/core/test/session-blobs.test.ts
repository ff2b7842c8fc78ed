import { createAgent, defineTool, restoreSession } from "@capstan/core";
import { exportSession, importSession, memoryRepository } from "@capstan/log";
import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { SessionSnapshotSchema } from "../src/schemas.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const long = "All work and no play.\n".repeat(500);
const look = defineTool({
  name: "look",
  description: "Looks around",
  input: { type: "object" },
  effect: "pure",
  execute: () => long,
});

async function playedWorld(): Promise<World> {
  const settings = { outputs: { maxChars: 1_000 } };
  const world = createWorld([callTool("look"), callTool("look"), say("Seen")], [look], settings);
  const session = world.host().createSession({ agent: "helper", id: "s" });
  await session.send("Look", { id: "t" }).response;
  return world;
}

/** A store that has other names for the same bytes. */
function renaming(repository: MemoryRepository): SessionRepository {
  return {
    ...repository,
    putBlob: (id, bytes) => `other-${repository.putBlob(id, bytes)}`,
    getBlob: (id, ref, range) => repository.getBlob(id, ref.replace("other-", ""), range),
  };
}

test("blobs go along with the lines of a session, also to a store that names them otherwise", async () => {
  const world = await playedWorld();
  const repository = renaming(memoryRepository());

  const lines = await Array.fromAsync(exportSession(world.repository, "s"));
  await importSession(repository, lines, { id: "copy", now: 1_000, trust: "own" });

  const session = await world.host({ repository }).open("copy");
  expect(lines.filter((line) => line.startsWith('{"blob"'))).toHaveLength(1);
  expect(await session.readOutput("t_1_0")).toBe(long);
  expect(await session.readOutput("t_3_0")).toBe(long);
  expect(session.messages[2]).toMatchObject({ kept: { blob: expect.stringMatching(/^other-/) } });
});

test("blobs go along with a snapshot", async () => {
  const world = await playedWorld();
  const session = await world.host().open("s");

  const state = SessionSnapshotSchema.parse(JSON.parse(JSON.stringify(await session.snapshot())));
  const agent = createAgent({ name: "helper", model: scriptedProvider([]), tools: [look] });
  const restored = await restoreSession({
    agent,
    snapshot: state,
    repository: memoryRepository(),
    trust: "own",
  });

  expect(await restored.readOutput("t_1_0")).toBe(long);
  expect(restored.messages).toEqual(session.messages);
  await restored.close();
});

test("a session without long outputs has no blobs in its snapshot, and no lines of them", async () => {
  const world = createWorld([say("Hi")]);
  const session = world.host().createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;

  expect(await session.snapshot()).not.toHaveProperty("blobs");
  const lines = await Array.fromAsync(exportSession(world.repository, "s"));
  expect(lines).toHaveLength(world.entries("s").length);
});

test.each([
  ['{"blob":"b","data":"*"}', "which is not Base64"],
  ['{"blob":"b"}', "which has no data"],
])("a line of a blob that cannot be read is refused: %s", async (line, problem) => {
  const importing = importSession(memoryRepository(), [line], {
    id: "copy",
    now: 1_000,
    trust: "own",
  });

  await expect(importing).rejects.toMatchObject({
    code: "corrupt_entry",
    message: expect.stringContaining(problem),
  });
});

test("nothing is left of a copy whose blobs the store does not take", async () => {
  const world = await playedWorld();
  const repository = {
    ...world.repository,
    putBlob: () => {
      throw new Error("The disk is full");
    },
  };
  const session = await world.host({ repository }).open("s");

  await expect(session.fork()).rejects.toThrow("The disk is full");

  expect(world.repository.list().sessions.map(({ id }) => id)).toEqual(["s"]);
});

test("a blob that the store has lost does not keep a session from being copied", async () => {
  const world = await playedWorld();
  const session = await world
    .host({ repository: { ...world.repository, getBlob: () => undefined } })
    .open("s");

  const fork = await session.fork();

  expect(fork.messages).toEqual(session.messages);
  await expect(fork.readOutput("t_1_0")).rejects.toMatchObject({ code: "invalid_input" });
});

import type { LoadAndSave, NewEntry, SavedSession, SessionHead } from "@capstan/log";
import { fromLoadAndSave, RepositoryError } from "@capstan/log";
import { expect, test } from "vitest";
import { savedTexts } from "./saved-texts.ts";

const created: NewEntry = { v: 1, id: "c", at: 1, type: "created", agent: "helper" };
const idle: SessionHead = { status: "idle", agent: "helper", seen: 1, updatedAt: 1 };

function entry(id: string): NewEntry {
  return { v: 1, id, at: 1, type: "history_cleared" };
}

function steer(id: string) {
  const message = { role: "user", id: `m-${id}`, content: "Hi" } as const;
  return { v: 1, id, at: 1, type: "steer", message } as const;
}

/** Storage whose saves fail while `isDown`. */
function failingTexts() {
  const storage = savedTexts();
  const state = { isDown: false };
  const save: LoadAndSave["save"] = (id, session) => {
    if (state.isDown) throw new Error("the disk is full");
    return storage.save(id, session);
  };
  return { ...storage, save, state };
}

test("another process finds entries, head, blobs and posts as they were saved", async () => {
  const storage = savedTexts();
  const first = fromLoadAndSave(storage);
  await first.create("s", [created], idle);
  const ref = await first.putBlob("s", Uint8Array.of(0, 128, 255));
  const claim = await first.acquire("s", "first", 60_000);
  const options = { lease: claim!.lease, head: { ...idle, title: "kept", seen: 2 } };
  await first.append("s", [entry("e")], options);
  await first.post("s", steer("p"));

  const second = fromLoadAndSave(savedTexts(storage.texts));

  expect((await second.read("s")).entries.map(({ id, seq }) => [id, seq])).toEqual([
    ["c", 1],
    ["e", 2],
    ["p", 3],
  ]);
  expect((await second.list()).sessions).toEqual([
    { id: "s", head: { ...idle, title: "kept", seen: 2 }, lastSeq: 3 },
  ]);
  expect([...((await second.getBlob("s", ref)) ?? [])]).toEqual([0, 128, 255]);
  expect(await second.post("s", steer("p"))).toEqual({ seq: 3, isNew: false });
});

test("another process takes a session over at once, under a higher epoch", async () => {
  const storage = savedTexts();
  const first = fromLoadAndSave(storage);
  await first.create("s", [created], { ...idle, status: "running" });
  const dead = await first.acquire("s", "first", 60_000);
  await first.append("s", [entry("e")], { lease: dead!.lease });

  const second = fromLoadAndSave(savedTexts(storage.texts));
  const [claim] = await second.claimDue({ agents: ["helper"], owner: "second", ttlMs: 60_000 });

  expect(claim).toMatchObject({ lastSeq: 2, lease: { owner: "second" } });
  expect(claim!.lease.epoch).toBeGreaterThan(dead!.lease.epoch);
});

test("a failed save is a failed append: nothing of it is read, and it may be repeated", async () => {
  const storage = failingTexts();
  const repository = fromLoadAndSave(storage);
  await repository.create("s", [created], idle);
  const claim = await repository.acquire("s", "first", 60_000);
  const options = { lease: claim!.lease, head: { ...idle, title: "new" } };
  storage.state.isDown = true;

  const failed = await failureOf(repository.append("s", [entry("e")], options));
  const page = await repository.read("s");
  storage.state.isDown = false;
  const repeated = await repository.append("s", [entry("e")], options);

  expect(failed).toMatchObject({ code: "unavailable", sessionId: "s" });
  expect(failed.message).toContain("the disk is full");
  expect(page.lastSeq).toBe(1);
  expect(repeated).toEqual({ type: "appended", seqs: [2], lastSeq: 2 });
});

test("a session whose first save failed does not exist", async () => {
  const storage = failingTexts();
  const repository = fromLoadAndSave(storage);
  storage.state.isDown = true;

  const failed = await failureOf(repository.create("s", [created], idle));

  expect(failed.code).toBe("unavailable");
  expect((await failureOf(repository.read("s"))).code).toBe("not_found");
});

test("saves of one session never overlap, and those of two sessions do", async () => {
  const storage = savedTexts();
  const saving: string[] = [];
  const holds = new Map<string, PromiseWithResolvers<void>>();
  const repository = fromLoadAndSave({
    ...storage,
    async save(id, session) {
      saving.push(`${id} ${session.entries.length}`);
      await holds.get(id)?.promise;
      await storage.save(id, session);
    },
  });
  await repository.create("a", [created], idle);
  await repository.create("b", [created], idle);
  saving.length = 0;
  holds.set("a", Promise.withResolvers<void>());

  const first = repository.post("a", steer("1"));
  const second = repository.post("a", steer("2"));
  await repository.post("b", steer("1"));
  const before = [...saving];
  holds.get("a")!.resolve();

  expect(await first).toEqual({ seq: 2, isNew: true });
  expect(await second).toEqual({ seq: 3, isNew: true });
  expect(before.toSorted()).toEqual(["a 2", "b 2"]);
  expect(saving.toSorted()).toEqual(["a 2", "a 3", "b 2"]);
});

test("the lease of a session is not given away while an append of its owner is being saved", async () => {
  const storage = savedTexts();
  const started = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  let now = 0;
  let isSlow = false;
  const repository = fromLoadAndSave(
    {
      ...storage,
      async save(id, session) {
        if (isSlow) {
          started.resolve();
          await hold.promise;
        }
        await storage.save(id, session);
      },
    },
    { now: () => now },
  );
  await repository.create("s", [created], { ...idle, status: "running" });
  const claim = await repository.acquire("s", "first", 1_000);
  isSlow = true;

  const append = repository.append("s", [entry("e")], { lease: claim!.lease });
  await started.promise;
  now = 2_000;
  const due = await repository.claimDue({ agents: ["helper"], owner: "second", ttlMs: 1_000 });
  const acquired = repository.acquire("s", "second", 1_000);
  hold.resolve();

  expect(due).toEqual([]);
  expect(await append).toEqual({ type: "appended", seqs: [2], lastSeq: 2 });
  expect(await acquired).toMatchObject({ lastSeq: 2 });
});

test("without a list, a session is listed and due once it was read", async () => {
  const { texts } = savedTexts();
  const query = { agents: ["helper"], owner: "second", ttlMs: 1_000 };
  await fromLoadAndSave(savedTexts(texts)).create("s", [created], { ...idle, status: "running" });
  const { load, save } = savedTexts(texts);
  const repository = fromLoadAndSave({ load, save });

  const before = await repository.claimDue(query);
  await repository.read("s");

  expect(before).toEqual([]);
  expect(await repository.claimDue(query)).toHaveLength(1);
});

test("without a delete, deleting fails and says so", async () => {
  const { load, save } = savedTexts();
  const repository = fromLoadAndSave({ load, save });
  await repository.create("s", [created], idle);

  const failed = await failureOf(repository.delete("s"));

  expect(failed).toMatchObject({ code: "unavailable" });
  expect(failed.message).toContain("no `delete`");
  expect((await repository.read("s")).lastSeq).toBe(1);
});

test("a create of its own is called for new sessions, and save for all that follows", async () => {
  const storage = savedTexts();
  const calls: string[] = [];
  const repository = fromLoadAndSave({
    ...storage,
    create: (id, session) => {
      calls.push("create");
      return storage.save(id, session);
    },
    save: (id, session) => {
      calls.push("save");
      return storage.save(id, session);
    },
  });

  await repository.create("s", [created], idle);
  await repository.post("s", steer("p"));

  expect(calls).toEqual(["create", "save"]);
});

test("a storage that keeps the saved objects themselves is not changed by later appends", async () => {
  const kept: SavedSession[] = [];
  const repository = fromLoadAndSave({
    load: () => kept.at(-1),
    save: (_, session) => void kept.push(session),
  });

  await repository.create("s", [created], idle);
  await repository.post("s", steer("p"));

  expect(kept.map(({ entries }) => entries.length)).toEqual([1, 2]);
});

async function failureOf(promise: unknown): Promise<RepositoryError> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof RepositoryError) return thrown;
    throw thrown;
  }
  throw new Error("It did not fail");
}

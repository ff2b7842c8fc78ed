import { fromLoadAndSave, RepositoryError } from "@capstan/log";
import { expect, test } from "vitest";
import { savedTexts } from "./saved-texts.ts";

const envelope = { v: 1, at: 1 };
const created = { ...envelope, id: "c", type: "created", agent: "helper", seq: 1 };
const steer = { ...envelope, id: "p", type: "steer", message: {}, seq: 2 };
const head = { status: "idle", agent: "helper", seen: 1, updatedAt: 1 };
const saved = { version: 1, id: "s", head, epoch: 0, lastPostedSeq: 2, entries: [created, steer] };

async function failureOn(value: unknown): Promise<RepositoryError> {
  const repository = fromLoadAndSave({ load: () => value, save: () => {} });
  try {
    await repository.read("s");
  } catch (thrown) {
    if (thrown instanceof RepositoryError) return thrown;
    throw thrown;
  }
  throw new Error("It was read");
}

test("a saved session is read, with fields that only a newer program knows", async () => {
  const newer = { ...saved, color: "red", head: { ...head, color: "red" } };
  const repository = fromLoadAndSave({ load: () => newer, save: () => {} });

  expect((await repository.read("s")).lastSeq).toBe(2);
});

test.each([undefined, null])("%s is a session that was never saved", async (value) => {
  expect((await failureOn(value)).code).toBe("not_found");
});

test.each([
  ["a text", JSON.stringify(saved), "it is a string: parse it with JSON.parse"],
  ["a number", 7, "it must be an object, not a number"],
  ["an array", [], "it must be an object, not an array"],
  ["an object of another kind", { messages: [] }, "its version must be 1, not undefined"],
  ["a newer version", { ...saved, version: 2 }, "its version must be 1, not 2"],
  ["another session", { ...saved, id: "t" }, 'its id must be "s"'],
  ["no head", { ...saved, head: undefined }, "its head must be an object, not undefined"],
  ["an odd status", { ...saved, head: { ...head, status: "odd" } }, "its head.status must be"],
  ["no agent", { ...saved, head: { ...head, agent: 1 } }, "its head.agent must be a string"],
  ["a seen text", { ...saved, head: { ...head, seen: "1" } }, "its head.seen must be"],
  ["no time", { ...saved, head: { ...head, updatedAt: null } }, "its head.updatedAt must be"],
  ["a wakeAt", { ...saved, head: { ...head, wakeAt: "soon" } }, "its head.wakeAt must be a number"],
  ["a title", { ...saved, head: { ...head, title: 1 } }, "its head.title must be a string"],
  ["set aside", { ...saved, head: { ...head, setAside: "x" } }, "its head.setAside must be"],
  ["an epoch below 0", { ...saved, epoch: -1 }, "its epoch must be a whole number"],
  ["a post beyond the end", { ...saved, lastPostedSeq: 3 }, "its lastPostedSeq must be at most 2"],
  ["no entries", { ...saved, entries: {} }, "its entries must be an array, not an object"],
  ["an entry that is none", { ...saved, entries: [created, 1] }, "its entries[1]"],
  ["an entry without an id", { ...saved, entries: [{ ...created, id: 1 }] }, "its entries[0]"],
  ["a gap", { ...saved, entries: [created, { ...steer, seq: 3 }] }, "entries[1].seq must be 2"],
  ["an id twice", { ...saved, entries: [created, { ...steer, id: "c" }] }, 'the id "c" twice'],
  ["odd blobs", { ...saved, blobs: [] }, "its blobs must be an object, not an array"],
  ["an odd blob", { ...saved, blobs: { r: "%" } }, 'its blobs["r"] must be Base64'],
])("%s is refused with a reason", async (_, value, reason) => {
  const failure = await failureOn(value);

  expect(failure).toMatchObject({ code: "unavailable", sessionId: "s" });
  expect(failure.message).toContain('The saved session "s" cannot be used');
  expect(failure.message).toContain(reason);
});

test("a damaged session hides no other from the list and from hosts", async () => {
  const running = { ...saved, id: "good", head: { ...head, status: "running" } };
  const texts = new Map([
    ["bad", "7"],
    ["good", JSON.stringify(running)],
  ]);
  const repository = fromLoadAndSave(savedTexts(texts));

  const { sessions } = await repository.list();
  const due = await repository.claimDue({ agents: ["helper"], owner: "me", ttlMs: 1_000 });

  expect(sessions.map(({ id }) => id)).toEqual(["good"]);
  expect(due.map(({ lease }) => lease.sessionId)).toEqual(["good"]);
});

test("a load that fails is a failure of the store, which the next call tries again", async () => {
  let isDown = true;
  const repository = fromLoadAndSave({
    load: () => {
      if (isDown) throw new Error("no connection");
      return saved;
    },
    save: () => {},
    list: () => ["s"],
  });

  await expect(async () => repository.list()).rejects.toMatchObject({ code: "unavailable" });
  await expect(async () => repository.read("s")).rejects.toThrow("no connection");
  isDown = false;

  expect((await repository.list()).sessions).toHaveLength(1);
});

test("a session that cannot be loaded keeps hosts from no other, and is named if nothing else is due", async () => {
  const { texts, ...storage } = savedTexts();
  const running = { ...saved, id: "good", head: { ...head, status: "running" } };
  texts.set("bad", "{").set("good", JSON.stringify(running));
  const repository = fromLoadAndSave(storage);
  const query = { agents: ["helper"], owner: "me", ttlMs: 1_000 };

  const due = await repository.claimDue(query);

  expect(due.map(({ lease }) => lease.sessionId)).toEqual(["good"]);
  await expect(async () => repository.claimDue(query)).rejects.toThrow('`load` of session "bad"');
});

import { memoryRepository } from "@capstan/log";
import type { Claim, MemoryRepository, NewEntry, SessionHead } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { expect, test } from "vitest";

const head: SessionHead = { status: "idle", agent: "helper", seen: 0, updatedAt: 0 };

function entry(id: string): NewEntry {
  return { v: 1, id, at: 0, type: "history_cleared" };
}

function owned(repository: MemoryRepository, ttlMs = 1_000): Claim {
  repository.create("s", [], head);
  return repository.acquire("s", "first", ttlMs) as Claim;
}

test("every method answers at once, without a promise", () => {
  const repository = memoryRepository();
  repository.create("s", [entry("e1")], head);

  const lease = repository.acquire("s", "first", 1_000)?.lease;
  const ref = repository.putBlob("s", Uint8Array.of(1));

  expect(lease?.epoch).toBe(1);
  expect(repository.read("s").entries).toEqual([{ ...entry("e1"), seq: 1 }]);
  expect(repository.list().sessions).toEqual([{ id: "s", head, lastSeq: 1 }]);
  expect(repository.getBlob("s", ref)).toEqual(Uint8Array.of(1));
  expect(repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
});

test("what fails throws at once", () => {
  expect(() => memoryRepository().read("none")).toThrow('Unknown session "none"');
});

test("a listener is called before the write returns, and can read what was written", () => {
  const repository = memoryRepository();
  const { lease } = owned(repository);
  const lastSeqs: number[] = [];
  repository.subscribe("s", () => lastSeqs.push(repository.read("s").lastSeq));

  repository.append("s", [entry("e1"), entry("e2")], { lease, head });
  lastSeqs.push(0);

  expect(lastSeqs).toEqual([2, 0]);
});

test("a refresh of the head, a conflict and a repeated post send no wake-up", () => {
  const repository = memoryRepository();
  const { lease } = owned(repository);
  const post = { ...entry("p"), type: "queue_cleared", queue: "all" } as const;
  repository.post("s", post);
  const heard: string[] = [];
  repository.subscribe("s", ({ type }) => heard.push(type));

  repository.append("s", [], { lease, head });
  repository.append("s", [entry("e1")], { lease, head, onlyIfSeq: 0 });
  repository.post("s", post);

  expect(heard).toEqual([]);
});

test("a lease lives until its last millisecond and is over at its expiry", async () => {
  const clock = manualClock();
  const repository = memoryRepository({ now: clock.now });
  const { lease } = owned(repository, 1_000);

  await clock.advance(999);
  repository.append("s", [entry("e1")], { lease, head });
  const early = repository.acquire("s", "second", 1_000);
  await clock.advance(1);

  expect(early).toBeUndefined();
  expect(() => repository.append("s", [entry("e2")], { lease, head })).toThrow("epoch 1 has ended");
  expect(repository.acquire("s", "second", 1_000)?.lease.epoch).toBe(2);
});

test("entries are kept by reference: the parts of an entry are not copied", () => {
  const repository = memoryRepository();
  const { lease } = owned(repository);
  const message = { role: "user", id: "m", content: "Hi" } as const;

  repository.append("s", [{ v: 1, id: "e", at: 0, type: "steer", message }], { lease, head });

  expect(repository.read("s").entries[0]?.["message"]).toBe(message);
});

test("bytes that a reader changes are not changed in the store", () => {
  const repository = memoryRepository();
  repository.create("s", [], head);
  const ref = repository.putBlob("s", Uint8Array.of(1, 2));

  repository.getBlob("s", ref)?.fill(9);

  expect(repository.getBlob("s", ref)).toEqual(Uint8Array.of(1, 2));
});

test("a token that no page gave leads nowhere", () => {
  const repository = memoryRepository();
  repository.create("s", [], head);

  expect(repository.list({ after: "nonsense" })).toEqual({ sessions: [] });
});

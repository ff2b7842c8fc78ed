import type { MemoryRepository, PostedEntry, SessionRepository } from "@capstan/log";
import { LogError, memoryRepository, salvageLog } from "@capstan/log";
import { expect, test } from "vitest";

function posted(id: string): PostedEntry {
  return { v: 1, id, at: 0, type: "steer", message: { role: "user", id, content: id } };
}

/** A session of three entries. */
function filled(): MemoryRepository {
  const memory = memoryRepository();
  const head = { status: "idle", agent: "helper", seen: 1, updatedAt: 0 } as const;
  memory.create("s", [{ v: 1, id: "created", at: 0, type: "created", agent: "helper" }], head);
  memory.post("s", posted("a"));
  memory.post("s", posted("b"));
  return memory;
}

function corrupt(seq: number): LogError {
  return new LogError("corrupt_entry", { seq, id: "" }, `Entry ${seq} is not JSON any more`);
}

/** A store that cannot read one of its entries. */
function unreadable(memory: MemoryRepository, lost: number): SessionRepository {
  return {
    ...memory,
    read(id, options) {
      const page = memory.read(id, options);
      if (page.entries.some(({ seq }) => seq === lost)) throw corrupt(lost);
      return page;
    },
  };
}

test("an entry that the store can read and no program understands is lost, and the others are not", async () => {
  const memory = filled();
  memory.post("s", { v: 1, id: "x", at: 0, type: "steer" } as never);
  memory.post("s", posted("c"));

  const { entries, lost } = await salvageLog(memory, "s");

  expect(entries.map(({ id }) => id)).toEqual(["created", "a", "b", "c"]);
  expect(lost).toMatchObject([{ seq: 4, reason: expect.stringContaining("message is missing") }]);
});

test("the state goes up to the last entry, also if that one is lost", async () => {
  const { entries, lost, fold } = await salvageLog(unreadable(filled(), 3), "s");

  expect(entries.map(({ id }) => id)).toEqual(["created", "a"]);
  expect(lost).toEqual([{ seq: 3, reason: "Entry 3 is not JSON any more" }]);
  expect(fold.seq).toBe(3);
});

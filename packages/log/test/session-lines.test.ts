import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exportSession, foldEntries, importSession, memoryRepository } from "@capstan/log";
import type { SessionRepository, StoredEntry } from "@capstan/log";
import { checkTranscript } from "@capstan/testing";
import { expect, test } from "vitest";
import { stateOf } from "./fold-state.ts";

const folder = join(import.meta.dirname, "golden");
const logs = globSync("*.jsonl", { cwd: folder }).toSorted();

function linesOf(file: string): string[] {
  return readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
}

/** State that a copy shares with its original: it has other epochs, and asks pending calls again. */
function stateAfter(entries: readonly StoredEntry[]) {
  const state = stateOf(foldEntries(entries), entries);
  const { messages, config, queues, usage, priced, summary, status, outcomes, compactions } = state;
  return { messages, config, queues, usage, priced, summary, status, outcomes, compactions };
}

test.each(logs)("%s is the same session when it was restored, and restored again", async (file) => {
  const repository = memoryRepository();
  const original = linesOf(file).map((line) => JSON.parse(line) as StoredEntry);
  const copy = { now: 1_000, trust: "own" } as const;

  await importSession(repository, linesOf(file), { id: "first", ...copy });
  await importSession(repository, exportSession(repository, "first"), { id: "second", ...copy });

  expect(stateAfter(repository.read("first").entries)).toEqual(stateAfter(original));
  expect(stateAfter(repository.read("second").entries)).toEqual(stateAfter(original));
});

test.each(logs)("%s is imported with what was said, and nothing of it goes on", async (file) => {
  const repository = memoryRepository();
  const origin = { agent: "mine", principal: "me" };

  await importSession(repository, linesOf(file), { id: "s", now: 1_000, origin });

  const { entries } = repository.read("s");
  const fold = foldEntries(entries);
  expect(["created", "history_loaded"]).toEqual(
    expect.arrayContaining(entries.map(({ type }) => type)),
  );
  expect(fold.created).toMatchObject(origin);
  expect(fold.nextAction(Infinity)).toEqual({ type: "none" });
  expect(checkTranscript(fold.transcript.messages)).toEqual([]);
  expect(repository.list().sessions[0]?.head).toMatchObject({ status: "idle", ...origin });
});

test("a new owner of an imported session may use the numbers of the old one", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-crash.jsonl");

  await importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });

  const ids = repository.read("s").entries.map(({ id }) => id);
  expect(ids.filter((id) => /^[1-9]\d*~/.test(id))).toEqual([]);
});

test("empty lines are passed over", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-abort.jsonl");

  await importSession(repository, ["", ...lines, "", " "], { id: "s", now: 1_000, trust: "own" });

  expect(repository.read("s").lastSeq).toBe(lines.length);
});

test.each([
  ["no JSON", ['{"seq":1,"v":1', "x"], "Line 1 of the exported session is not JSON"],
  ["a line that was lost", linesOf("v1-abort.jsonl").slice(1), "Line 1 .* is not the next entry"],
  ["a line twice", linesOf("v1-abort.jsonl").flatMap((line) => [line, line]), "Line 2 .* next"],
])("%s is refused, and no session begins", async (_, lines, message) => {
  const repository = memoryRepository();

  const importing = importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });

  await expect(importing).rejects.toThrow(new RegExp(message));
  expect(repository.list().sessions).toEqual([]);
});

test("an import does not replace a session that is there", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-abort.jsonl");
  await importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });

  const again = importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });

  await expect(again).rejects.toMatchObject({ code: "exists" });
});

test("an export of no session fails with not_found", async () => {
  const exporting = Array.fromAsync(exportSession(memoryRepository(), "none"));

  await expect(exporting).rejects.toMatchObject({ code: "not_found" });
});

test("an export never mixes a session with the one that was begun again under its id", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-abort.jsonl");
  await importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });
  const paged: SessionRepository = {
    ...repository,
    read: (id, options) => repository.read(id, { ...options, limit: 2 }),
  };

  const exporting = exportSession(paged, "s");
  await exporting.next();
  repository.delete("s");
  await importSession(repository, lines, { id: "s", now: 1_000, trust: "own" });

  await expect(Array.fromAsync(exporting)).rejects.toMatchObject({ code: "not_found" });
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exportSession, foldEntries, importSession, memoryRepository } from "@capstan/log";
import type { StoredEntry } from "@capstan/log";
import { expect, test } from "vitest";
import { stateOf } from "./fold-state.ts";

const folder = join(import.meta.dirname, "golden");
const logs = globSync("*.jsonl", { cwd: folder }).toSorted();

function linesOf(file: string): string[] {
  return readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
}

/** But for the epochs, which are those of a store. */
function stateAfter(entries: readonly StoredEntry[]): unknown {
  const state = JSON.stringify(stateOf(foldEntries(entries), entries));
  return JSON.parse(state.replaceAll(/"epoch":\d+/g, '"epoch":0'));
}

test.each(logs)("%s is the same session after an import, and after another", async (file) => {
  const repository = memoryRepository();
  const original = linesOf(file).map((line) => JSON.parse(line) as StoredEntry);

  await importSession(repository, linesOf(file), { id: "first", now: 1_000 });
  await importSession(repository, exportSession(repository, "first"), { id: "second", now: 1_000 });

  const { entries } = repository.read("second");
  expect(entries).toEqual(repository.read("first").entries);
  expect(stateAfter(entries)).toEqual(stateAfter(original));
  expect(repository.list().sessions[0]?.head).toEqual(foldEntries(original).head(1_000));
});

test("a new owner of an imported session may use the numbers of the old one", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-crash.jsonl");

  await importSession(repository, lines, { id: "s", now: 1_000 });

  const ids = repository.read("s").entries.map(({ id }) => id);
  expect(ids.filter((id) => /^[1-9]\d*~/.test(id))).toEqual([]);
});

test("empty lines are passed over", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-abort.jsonl");

  await importSession(repository, ["", ...lines, "", " "], { id: "s", now: 1_000 });

  expect(repository.read("s").lastSeq).toBe(lines.length);
});

test.each([
  ["no JSON", ['{"seq":1,"v":1', "x"], "Line 1 of the exported session is not JSON"],
  ["a line that was lost", linesOf("v1-abort.jsonl").slice(1), "Line 1 .* should come next"],
  ["a line twice", linesOf("v1-abort.jsonl").flatMap((line) => [line, line]), "Line 2 .* next"],
])("%s is refused, and no session begins", async (_, lines, message) => {
  const repository = memoryRepository();

  const importing = importSession(repository, lines, { id: "s", now: 1_000 });

  await expect(importing).rejects.toThrow(new RegExp(message));
  expect(repository.list().sessions).toEqual([]);
});

test("an import does not replace a session that is there", async () => {
  const repository = memoryRepository();
  const lines = linesOf("v1-abort.jsonl");
  await importSession(repository, lines, { id: "s", now: 1_000 });

  const again = importSession(repository, lines, { id: "s", now: 1_000 });

  await expect(again).rejects.toMatchObject({ code: "exists" });
});

test("an export of no session fails with not_found", async () => {
  const exporting = Array.fromAsync(exportSession(memoryRepository(), "none"));

  await expect(exporting).rejects.toMatchObject({ code: "not_found" });
});

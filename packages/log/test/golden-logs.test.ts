import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { EventFeed, formatCursor } from "@capstan/log";
import type { EntryType, StoredEntry } from "@capstan/log";
import { expect, test } from "vitest";
import { stateOf } from "./fold-state.ts";

const folder = join(import.meta.dirname, "golden");
const logs = globSync("*.jsonl", { cwd: folder }).toSorted();

/** Writes what is found as what is expected; only the expected files, never a log. */
const isUpdate = process.env["UPDATE_GOLDEN"] === "1";

test.each(logs)("%s is read today as it always was", (file) => {
  const replayed = replay(readLog(file));

  const expectedPath = join(folder, `${basename(file, ".jsonl")}.expected.json`);
  if (isUpdate) writeFileSync(expectedPath, `${JSON.stringify(replayed, undefined, 2)}\n`);
  expect(JSON.parse(JSON.stringify(replayed))).toEqual(
    JSON.parse(readFileSync(expectedPath, "utf8")),
  );
});

test("every type of entry is in a golden log", () => {
  const found = new Set(logs.flatMap((file) => readLog(file).map(({ type }) => type)));

  expect(Object.keys(allTypes).filter((type) => !found.has(type))).toEqual([]);
});

const allTypes = {
  created: true,
  turn_started: true,
  prompt: true,
  turn_resumed: true,
  turn_ended: true,
  attempt: true,
  attempt_ended: true,
  step_prepared: true,
  input_rejected: true,
  message: true,
  pending: true,
  suspended: true,
  child_started: true,
  child_waiting: true,
  child_granted: true,
  budget_granted: true,
  handed_off: true,
  child_ended: true,
  child_reported: true,
  tool_intent: true,
  tool_result: true,
  nested_intent: true,
  nested_result: true,
  queue_settled: true,
  compaction_started: true,
  compaction: true,
  compaction_failed: true,
  compact: true,
  checkpoint: true,
  eviction: true,
  quarantine: true,
  history_cleared: true,
  history_loaded: true,
  history_rewound: true,
  forked_from: true,
  input: true,
  steer: true,
  follow_up: true,
  answer: true,
  decision: true,
  call_claimed: true,
  queue_cleared: true,
  cancel_requested: true,
  abandon_requested: true,
  config: true,
} satisfies Record<EntryType, true>;

function readLog(file: string): StoredEntry[] {
  const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
  // Each line is an entry as a store would give it back.
  return lines.map((line) => JSON.parse(line) as StoredEntry);
}

function replay(entries: readonly StoredEntry[]) {
  const feed = new EventFeed("golden");
  const events = feed.takeStored(entries).map(({ cursor, event }) => {
    const { sessionId: _sessionId, ...rest } = event;
    return { at: formatCursor(cursor), ...rest };
  });
  return { state: stateOf(feed.fold, entries), events };
}

/** "Order of writes" in docs/specs/storage.md has every entry, and each of them has a planted fault, or a reason why it needs none. */
import type { EntryType } from "@capstan/log";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  fatalOrderFaults,
  fatalOrderFaultsOfParents,
  fatalOrderFaultsOfSuccessors,
  harmlessOrderFaults,
  visibleOrderFaults,
} from "./planted-order-faults.ts";

const page = join(import.meta.dirname, "../../../docs/specs/storage.md");

/** The compiler finds what is missing here. */
const everyType: Readonly<Record<EntryType, true>> = {
  created: true,
  turn_started: true,
  prompt: true,
  turn_resumed: true,
  attempt: true,
  attempt_ended: true,
  message: true,
  pending: true,
  nested_intent: true,
  nested_result: true,
  suspended: true,
  handed_off: true,
  child_started: true,
  child_granted: true,
  child_waiting: true,
  child_ended: true,
  tool_intent: true,
  tool_result: true,
  turn_ended: true,
  queue_settled: true,
  compaction_started: true,
  compaction: true,
  compaction_failed: true,
  eviction: true,
  step_prepared: true,
  input_rejected: true,
  quarantine: true,
  checkpoint: true,
  forked_from: true,
  input: true,
  steer: true,
  follow_up: true,
  answer: true,
  decision: true,
  call_claimed: true,
  child_reported: true,
  budget_granted: true,
  queue_cleared: true,
  cancel_requested: true,
  abandon_requested: true,
  config: true,
  compact: true,
  history_cleared: true,
  history_loaded: true,
  history_rewound: true,
};

const types = Object.keys(everyType).toSorted();

const planted: readonly string[] = [
  ...fatalOrderFaults,
  ...fatalOrderFaultsOfSuccessors,
  ...fatalOrderFaultsOfParents,
  ...visibleOrderFaults,
].map(({ entry }) => entry);

const harmless: readonly string[] = harmlessOrderFaults.map(({ entry }) => entry);

/** Types in the first column of the table, row by row. */
function rows(): readonly (readonly string[])[] {
  const section = readFileSync(page, "utf8").split("\n## Order of writes\n")[1]?.split("\n## ")[0];
  const lines = (section ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    [...(line.split("|")[1] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, type = ""]) => type),
  );
}

test("every entry is in one row of the table, and nothing else is", () => {
  expect(rows().flat().toSorted()).toEqual(types);
});

test("for every entry of a row, a host is planted that does not wait, or a reason is given why it may", () => {
  const found = rows().map((row) =>
    row.filter((type) => !planted.includes(type) && !harmless.includes(type)),
  );

  expect(found.flat()).toEqual([]);
});

test("no entry has both", () => {
  expect(harmless.filter((type) => planted.includes(type))).toEqual([]);
});

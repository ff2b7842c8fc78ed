import * as log from "@capstan/log";
import { expect, test } from "vitest";

test("the log exports these names and no others", () => {
  expect(Object.keys(log).toSorted()).toMatchInlineSnapshot(`
    [
      "EventFeed",
      "LogError",
      "RepositoryError",
      "SessionFold",
      "applyStored",
      "chainMark",
      "compareCursors",
      "copyLog",
      "entriesOfFacts",
      "entryVersion",
      "eventsOf",
      "foldEntries",
      "forkLog",
      "formatCursor",
      "isDue",
      "isLiveOnly",
      "isOverdue",
      "isPosted",
      "isRepositoryError",
      "memoryRepository",
      "parseCursor",
      "parseEntries",
      "parseEntry",
      "startCursor",
    ]
  `);
});

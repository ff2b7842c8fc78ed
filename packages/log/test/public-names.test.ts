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
      "entriesOfFacts",
      "entryVersion",
      "eventsOf",
      "foldEntries",
      "formatCursor",
      "isDue",
      "isLiveOnly",
      "isOverdue",
      "isPosted",
      "memoryRepository",
      "parseCursor",
      "parseEntries",
      "parseEntry",
      "startCursor",
    ]
  `);
});

import * as log from "@capstan/log";
import { expect, test } from "vitest";

test("the log exports these names and no others", () => {
  expect(Object.keys(log).toSorted()).toMatchInlineSnapshot(`
    [
      "EventFeed",
      "LogError",
      "RepositoryError",
      "SessionFold",
      "Wakeups",
      "applyStored",
      "chainMark",
      "checkEnvelope",
      "checkEnvelopes",
      "compareCursors",
      "copyLog",
      "entriesOfFacts",
      "entryVersion",
      "eventsOf",
      "exportSession",
      "foldEntries",
      "forkLog",
      "formatCursor",
      "formatListPlace",
      "importSession",
      "invalidEntry",
      "isDue",
      "isLiveOnly",
      "isOverdue",
      "isPosted",
      "isRepositoryError",
      "leaseOver",
      "listPage",
      "memoryRepository",
      "newestFirst",
      "parseCursor",
      "parseEntries",
      "parseEntry",
      "parseListPlace",
      "sessionExists",
      "sessionNotFound",
      "startCursor",
    ]
  `);
});

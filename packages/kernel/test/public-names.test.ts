import * as kernel from "@capstan/kernel";
import { expect, test } from "vitest";

test("the kernel exports these names and no others", () => {
  expect(Object.keys(kernel).toSorted()).toMatchInlineSnapshot(`
    [
      "EventQueue",
      "LiveView",
      "ProviderError",
      "TurnError",
      "addUsage",
      "agentLoop",
      "agentLoopContinue",
      "hashJson",
      "interruptionMarker",
      "runTurn",
      "serializeError",
      "startTurn",
      "toModelMessages",
      "toToolMessage",
      "toTurnResponse",
    ]
  `);
});

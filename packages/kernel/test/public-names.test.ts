import * as kernel from "@capstan/kernel";
import { expect, test } from "vitest";

test("the kernel exports these names and no others", () => {
  expect(Object.keys(kernel).toSorted()).toMatchInlineSnapshot(`
    [
      "CapstanError",
      "EventQueue",
      "LiveView",
      "ProviderError",
      "ToolCallError",
      "TurnError",
      "abortReasonOf",
      "addUsage",
      "agentLoop",
      "agentLoopContinue",
      "background",
      "hashJson",
      "interruptionMarker",
      "isCapstanError",
      "isPromise",
      "isTooDeep",
      "mergeProviderOptions",
      "parsePartialJson",
      "runTurn",
      "serializeError",
      "showFact",
      "startTurn",
      "suspend",
      "toExecutionEvent",
      "toModelMessages",
      "toPromise",
      "toText",
      "toToolMessage",
      "toToolResult",
      "toTurnResponse",
      "withApiKey",
    ]
  `);
});

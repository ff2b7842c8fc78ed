import * as testing from "@capstan/testing";
import * as crash from "@capstan/testing/crash";
import * as emulators from "@capstan/testing/emulators";
import * as stores from "@capstan/testing/stores";
import { expect, test } from "vitest";

test.each([
  [
    "@capstan/testing",
    testing,
    [
      "assertValidEvents",
      "assertValidTranscript",
      "callTool",
      "callToolRaw",
      "checkEvents",
      "checkTranscript",
      "cutOff",
      "cutToolCall",
      "deferredTool",
      "echoTool",
      "failAfter",
      "failBefore",
      "failingTool",
      "finish",
      "hang",
      "manualClock",
      "native",
      "parts",
      "pause",
      "ping",
      "recordEvents",
      "refuse",
      "remoteTool",
      "reply",
      "runToEnd",
      "say",
      "scriptedProvider",
      "sequentialIds",
      "stall",
      "think",
      "tinyImage",
      "usage",
      "wait",
    ],
  ],
  [
    "@capstan/testing/crash",
    crash,
    [
      "crashScenario",
      "crashScenarios",
      "describeFailure",
      "exploreCrashes",
      "exploreSecondCrashes",
      "exploreSeed",
      "findScenario",
      "parseCrashRun",
      "randomCrashRun",
      "replayCommand",
      "runCrash",
      "runCrowd",
    ],
  ],
  [
    "@capstan/testing/emulators",
    emulators,
    [
      "anthropicEmulator",
      "blockedPrompt",
      "commentary",
      "cutConnection",
      "googleEmulator",
      "openAiChatEmulator",
      "openAiResponsesEmulator",
      "overload",
      "respondWith",
      "throttle",
    ],
  ],
  ["@capstan/testing/stores", stores, ["storeContract"]],
])("%s exports these names and no others", (_, entry, names) => {
  expect(Object.keys(entry).toSorted()).toEqual(names);
});

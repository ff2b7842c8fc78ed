/** Histories that are continued, forgotten, or replaced, while others use the session. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const again = { when: "rest", do: "send", id: "t2", text: "Again" } as const;
const raced = "the first request wins";

export const historyScenarios: readonly CrashScenario[] = [
  {
    name: "going on after a failure",
    script: { Go: [{ calls: [{ tool: "checked" }] }, { say: "Well, I", isBroken: "t1" }] },
    actions: [
      go,
      { when: "rest", do: "continue", id: "c1", options: { maxTokens: 50 } },
      { when: "rest", do: "continue", id: "c2" },
    ],
  },
  {
    name: "going on with what was held",
    script: { Go: [{ say: "A long story", ms: 300 }] },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: { event: "text_delta" }, do: "followUp", id: "f1", text: "Held" },
      { when: { event: "text_delta" }, do: "abort" },
      { when: "rest", do: "clearHistory" },
      { when: "rest", do: "continue", id: "c1", options: { maxTokens: 50 } },
    ],
    mayDiffer: "the abort may come later",
  },
  {
    name: "another past",
    script: { Go: [{ calls: [{ tool: "pure" }] }] },
    actions: [
      go,
      { when: "rest", do: "loadHistory" },
      again,
      { when: "rest", do: "clearHistory" },
      { when: "rest", do: "send", id: "t3", text: "Anew" },
    ],
  },
  {
    name: "a past that is cleared at any time",
    script: { Go: [{ calls: [{ tool: "pure", ms: 100 }] }] },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "More" },
    ],
    interjection: { do: "clearHistory" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: raced,
  },
  {
    name: "a past that is loaded at any time",
    script: { Go: [{ calls: [{ tool: "remote" }] }] },
    instructions: "asked",
    actions: [go],
    interjection: { do: "loadHistory" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: raced,
  },
  {
    name: "a reset while others send",
    script: { Go: [{ calls: [{ tool: "checked", ms: 200 }] }] },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "More" },
      { when: { event: "turn_end" }, do: "reset" },
      { when: { event: "turn_end" }, on: "B", do: "send", id: "t2", text: "Again" },
      { when: { event: "turn_end" }, on: "B", do: "followUp", id: "f2", text: "Later" },
      { when: "rest", do: "reset" },
    ],
    mayDiffer: raced,
  },
];

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
    name: "a question that is asked again, and one that is edited",
    script: { Go: [{ calls: [{ tool: "checked" }, { tool: "pure" }] }, { say: "Done" }] },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: "rest", do: "rewind", id: "r1", to: "t1" },
      { when: "rest", on: "B", do: "continue", id: "c1" },
      { when: "rest", on: "B", do: "rewind", id: "r2", to: "t1", before: true },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
  },
  {
    name: "a history that is rewound at any time",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "checked", ms: 100 }] }] },
    hosts: [{ name: "A" }, { name: "B" }],
    readers: ["A", "B"],
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "More" },
      again,
    ],
    interjection: { do: "rewind", to: "t1" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: raced,
  },
  {
    name: "two hosts that rewind while calls wait",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "guarded" }] }], Again: [{ say: "Yes" }] },
    hosts: [{ name: "A" }, { name: "B" }],
    readers: ["A", "B"],
    answers: "one-by-one",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "rewind", id: "r1", to: "t1" },
      { when: { event: "turn_end" }, on: "B", do: "rewind", id: "r2", to: "t1", before: true },
      { when: { event: "history_rewound" }, on: "B", do: "send", id: "t2", text: "Again" },
    ],
    mayDiffer: raced,
  },
  {
    name: "a rewind while a summary is written",
    script: { Go: [{ say: "Done" }] },
    summary: { ms: 300 },
    actions: [
      go,
      again,
      { when: "rest", do: "compact", id: "k1" },
      { when: { event: "compaction_start" }, do: "rewind", id: "r1", to: "t1" },
      { when: "rest", do: "send", id: "t3", text: "Anew" },
    ],
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

/** Contexts that do not fit: summaries in mid-turn, between turns, on request, and none at all. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const again = { when: "rest", do: "send", id: "t2", text: "Again" } as const;
const say = "A long story. ".repeat(425);
const steps = [
  { say, calls: [{ tool: "once" }, { tool: "pure" }] },
  { say, calls: [{ tool: "checked" }] },
  { say, calls: [{ tool: "idempotent" }] },
] as const;
/** Two of these steps fit, but not three. */
const contextWindow = 4_000;

export const compactionScenarios: readonly CrashScenario[] = [
  {
    name: "a context that does not fit",
    script: { Go: steps },
    contextWindow,
    actions: [go, again],
  },
  {
    name: "a context that does not fit, and keeps its last step",
    script: { Go: steps },
    contextWindow,
    keepRecentSteps: 1,
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go],
  },
  {
    name: "turns after a checkpoint, with all that may follow it",
    script: {
      Go: steps,
      Again: [{ calls: [{ tool: "remote" }, { tool: "guarded" }, { tool: "once" }] }, { say }],
    },
    contextWindow,
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: "rest", do: "compact", id: "k1" },
      again,
      {
        when: { event: "awaiting_tool_execution" },
        on: "B",
        do: "steer",
        id: "q1",
        text: "Faster",
      },
      { when: "rest", do: "compact", id: "k2" },
      { when: "rest", do: "send", id: "t3", text: "Again" },
      { when: "rest", do: "rewind", id: "r1", to: "t1" },
      { when: "rest", do: "send", id: "t4", text: "Again" },
    ],
    mayDiffer: "the message may come at another time",
  },
  {
    name: "a summary that takes its time, while others speak",
    script: { Go: steps },
    contextWindow,
    summary: { ms: 500, failures: 1 },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: { event: "compaction_start" }, on: "B", do: "steer", id: "q1", text: "Faster" },
      { when: { event: "compaction_start" }, do: "followUp", id: "f1", text: "More" },
    ],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "the messages may come at another time",
  },
  {
    name: "a summary that fails",
    script: { Go: steps },
    contextWindow,
    summary: { isBroken: true },
    actions: [go],
  },
  {
    name: "calls that wait, and a summary of what was before",
    script: { Go: [...steps, { calls: [{ tool: "remote" }, { tool: "guarded" }] }] },
    contextWindow,
    actions: [go, { when: { event: "turn_end" }, do: "compact", id: "k1", directives: "Short." }],
    mayDiffer: "it may be requested at another time",
  },
  {
    name: "a summary that is asked for while a call runs that was approved",
    script: { Go: [{ calls: [{ tool: "guarded", ms: 1_500 }] }] },
    actions: [go, { when: { event: "turn_end" }, do: "compact", id: "k1" }],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "it may be requested before or after the end of the turn",
  },
  {
    name: "compacted on request, while others send",
    script: { Go: [{ calls: [{ tool: "checked", ms: 100 }] }] },
    summary: { ms: 300 },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: "rest", do: "compact", id: "k1" },
      { when: { event: "compaction_start" }, on: "B", do: "send", id: "t2", text: "Again" },
      { when: { event: "compaction_start" }, on: "B", do: "compact", id: "k2" },
    ],
    mayDiffer: "the first request wins",
  },
  {
    name: "compacted at any time",
    script: { Go: [{ calls: [{ tool: "remote" }] }, { calls: [{ tool: "once" }] }] },
    actions: [go, { when: { event: "turn_end", nth: 2 }, do: "followUp", id: "f1", text: "More" }],
    interjection: { do: "compact", id: "k1" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the first request wins",
  },
  {
    name: "a summary that is stopped",
    script: { Go: steps },
    contextWindow,
    summary: { ms: 500 },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: { event: "compaction_start" }, on: "B", do: "abort", reason: "Enough" },
      { when: "rest", do: "compact", id: "k1" },
      { when: { event: "compaction_start", nth: 2 }, on: "B", do: "abort" },
      again,
    ],
    mayDiffer: "the abort may come later",
  },
  {
    name: "another past, while it is being summarized",
    script: { Go: [{ calls: [{ tool: "pure" }] }] },
    summary: { ms: 300 },
    actions: [
      go,
      { when: "rest", do: "compact", id: "k1" },
      { when: { event: "compaction_start" }, do: "loadHistory" },
      again,
    ],
    mayDiffer: "the first request wins",
  },
  {
    name: "a fork of what was summarized",
    script: { Go: steps },
    contextWindow,
    actions: [
      go,
      { when: "rest", do: "fork", as: "fork" },
      { when: "rest", do: "send", session: "fork", id: "t3", text: "Again" },
    ],
  },
];

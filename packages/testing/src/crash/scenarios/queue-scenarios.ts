/** Messages and aborts during a turn and between turns. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const queueScenarios: readonly CrashScenario[] = [
  {
    name: "steering",
    script: {
      Go: [{ calls: [{ tool: "idempotent", ms: 500 }] }, { calls: [{ tool: "pure", ms: 500 }] }],
    },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "steer", id: "q1", text: "Only indoors" },
      { when: { event: "step_end", nth: 1 }, do: "steer", id: "q2", text: "And warm" },
    ],
    mayDiffer: "the messages may come at another step",
  },
  {
    name: "follow-ups",
    script: {
      Go: [{ calls: [{ tool: "idempotent", ms: 500 }] }],
      More: [{ calls: [{ tool: "once" }] }],
    },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "More" },
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f2", text: "Thanks" },
    ],
  },
  {
    name: "several turns",
    script: { Go: [{ calls: [{ tool: "pure" }] }], Again: [{ calls: [{ tool: "checked" }] }] },
    actions: [
      go,
      { when: "rest", do: "send", id: "t2", text: "Again" },
      { when: "rest", do: "followUp", id: "f1", text: "Thanks" },
    ],
  },
  {
    name: "abort while a tool runs",
    script: { Go: [{ say: "So", calls: [{ tool: "idempotent", ms: 800 }, { tool: "once" }] }] },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "abort", reason: "enough" },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
    mayDiffer: "the abort may come later",
  },
  {
    name: "abort on another host",
    script: { Go: [{ calls: [{ tool: "idempotent", ms: 800 }, { tool: "once" }] }] },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go, { when: { event: "tool_execution_start" }, on: "B", do: "abort" }],
    mayDiffer: "the abort may come later",
  },
  {
    name: "abort while the model talks",
    script: { Go: [{ say: "A long story", ms: 800 }] },
    actions: [go, { when: { event: "text_delta" }, do: "abort" }],
    mayDiffer: "the abort may come later",
  },
  {
    name: "abort while calls wait",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "guarded" }] }] },
    answers: "never",
    actions: [go, { when: { event: "turn_end" }, do: "abort" }],
  },
  {
    name: "cancel posted from another process",
    script: { Go: [{ calls: [{ tool: "idempotent", ms: 400 }] }, { calls: [{ tool: "remote" }] }] },
    actions: [go],
    interjection: { do: "cancel" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the cancel may come at any time",
  },
  {
    name: "input arriving as a turn ends",
    script: { Go: [{ calls: [{ tool: "pure" }] }], Again: [{ calls: [{ tool: "checked" }] }] },
    actions: [go],
    interjection: { do: "send", id: "t2", text: "Again" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the input is refused while the turn runs",
  },
  {
    name: "input arriving as a follow-up starts",
    script: { Go: [{ calls: [{ tool: "pure", ms: 100 }] }], More: [{ calls: [{ tool: "pure" }] }] },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "More" },
    ],
    interjection: { do: "send", id: "t2", text: "Again" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the input is refused while a turn runs",
  },
  {
    name: "steering at any time",
    script: { Go: [{ calls: [{ tool: "checked" }] }] },
    actions: [go],
    interjection: { do: "steer", id: "q1", text: "Only indoors" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the message may come at any time",
  },
  {
    name: "a follow-up at any time",
    script: { Go: [{ calls: [{ tool: "checked" }] }] },
    actions: [go],
    interjection: { do: "followUp", id: "f1", text: "Thanks" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "the message may come at any time",
  },
];

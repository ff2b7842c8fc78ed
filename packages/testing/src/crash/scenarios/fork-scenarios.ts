/** Sessions forked from others, at rest and in mid-turn. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const twoHosts = [{ name: "A" }, { name: "B" }] as const;
const whenever = "a fork has what was complete at that moment";

export const forkScenarios: readonly CrashScenario[] = [
  {
    name: "a fork at rest",
    script: {
      Go: [{ calls: [{ tool: "once" }, { tool: "checked" }] }],
      There: [{ calls: [{ tool: "checked" }] }],
    },
    actions: [
      go,
      { when: "rest", do: "fork", as: "fork" },
      { when: "rest", do: "send", session: "fork", id: "t3", text: "There" },
      { when: "rest", do: "send", id: "t2", text: "Here" },
    ],
  },
  {
    name: "a fork at a message",
    script: {
      Go: [{ calls: [{ tool: "pure" }, { tool: "pure" }] }, { calls: [{ tool: "idempotent" }] }],
    },
    actions: [
      go,
      { when: "rest", do: "fork", as: "fork", at: 1 },
      { when: "rest", do: "continue", session: "fork", id: "c1" },
    ],
  },
  {
    name: "a fork in mid-turn, on another host",
    script: {
      Go: [
        { calls: [{ tool: "pure" }] },
        { calls: [{ tool: "once" }, { tool: "idempotent", ms: 300 }] },
      ],
    },
    hosts: twoHosts,
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "Thanks" },
      { when: { event: "tool_execution_start", nth: 2 }, on: "B", do: "fork", as: "fork" },
      { when: "rest", do: "continue", session: "fork", id: "c1" },
    ],
    forksMayDiffer: whenever,
  },
  {
    name: "a fork of a session that waits",
    script: {
      Go: [{ calls: [{ tool: "pure" }] }, { calls: [{ tool: "remote" }, { tool: "guarded" }] }],
    },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "fork", as: "fork" },
      { when: "rest", do: "continue", session: "fork", id: "c1" },
      { when: "rest", do: "answer", how: "right" },
      { when: "rest", do: "abort", session: "fork" },
    ],
    forksMayDiffer: whenever,
  },
  {
    name: "a fork while a summary is made that was asked for",
    script: { Go: [{ calls: [{ tool: "pure" }] }] },
    summary: { ms: 700 },
    actions: [
      go,
      { when: "rest", do: "compact", id: "k1" },
      { when: { event: "compaction_start" }, do: "fork", as: "fork" },
      { when: "rest", do: "send", session: "fork", id: "t3", text: "There" },
    ],
    forksMayDiffer: whenever,
  },
];

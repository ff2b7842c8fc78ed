/** Behaviour of a model, its tools and the clients that answer for tools. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const toolScenarios: readonly CrashScenario[] = [
  {
    name: "parallel tools",
    script: {
      Go: [
        {
          say: "So",
          calls: [{ tool: "pure" }, { tool: "idempotent" }, { tool: "once" }, { tool: "checked" }],
        },
        {
          calls: [
            { tool: "idempotent", ms: 300 },
            { tool: "checked", ms: 100 },
          ],
        },
      ],
    },
    actions: [go],
  },
  {
    name: "sequential tools",
    script: {
      Go: [
        {
          calls: [
            { tool: "alone" },
            { tool: "pure", ms: 100 },
            { tool: "alone", ms: 100, fails: true },
            { tool: "checked" },
          ],
        },
      ],
    },
    actions: [go],
    returns: "at rest",
  },
  {
    name: "retry",
    script: {
      Go: [
        { failures: 2, calls: [{ tool: "idempotent" }] },
        { failures: 1, say: "Well" },
      ],
    },
    actions: [go],
  },
  {
    name: "a reply that fails for good",
    script: { Go: [{ calls: [{ tool: "pure" }] }, { say: "Well, I", isBroken: true }] },
    actions: [
      go,
      { when: { event: "tool_execution_start" }, do: "followUp", id: "f1", text: "Held" },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
    mayDiffer: "the follow-up may come after the failure",
  },
  {
    name: "a store that fails",
    script: { Go: [{ calls: [{ tool: "checked", ms: 1_500 }, { tool: "remote" }] }] },
    actions: [go],
    alsoAtEveryPoint: ["fail"],
  },
  {
    name: "remote answers late",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "idempotent" }, { tool: "remote" }] }] },
    actions: [go],
  },
  {
    name: "remote answers one by one",
    script: {
      Go: [{ calls: [{ tool: "remote" }, { tool: "remote" }] }, { calls: [{ tool: "remote" }] }],
    },
    answers: "one-by-one",
    actions: [go],
  },
  {
    name: "remote answers early",
    script: {
      Go: [
        { calls: [{ tool: "remote" }, { tool: "idempotent", ms: 500 }] },
        { calls: [{ tool: "remote" }, { tool: "checked", ms: 100 }, { tool: "remote" }] },
      ],
    },
    answers: "early",
    actions: [go],
  },
  {
    name: "answers that never come",
    script: { Go: [{ calls: [{ tool: "ignored" }, { tool: "remote" }] }] },
    actions: [go],
  },
  {
    name: "approvals",
    script: {
      Go: [
        { calls: [{ tool: "guarded" }, { tool: "pure" }] },
        { calls: [{ tool: "guarded", ms: 200 }, { tool: "remote" }] },
      ],
    },
    actions: [go],
  },
  {
    name: "refused approvals",
    script: { Go: [{ calls: [{ tool: "guarded" }, { tool: "guarded" }] }] },
    approves: false,
    actions: [go],
  },
];

/** Trees of sessions: agents that use agents. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const childScenarios: readonly CrashScenario[] = [
  {
    name: "a child with tools",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "child", task: "Dig" }] }],
      Dig: [{ calls: [{ tool: "once" }, { tool: "idempotent", ms: 200 }] }],
    },
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "parallel children",
    children: "on",
    script: {
      Go: [
        {
          calls: [
            { tool: "child", task: "Dig" },
            { tool: "once", ms: 100 },
            { tool: "child", task: "Look" },
          ],
        },
      ],
      Dig: [{ calls: [{ tool: "once", ms: 300 }] }],
      Look: [{ say: "Nothing here", ms: 200 }],
    },
    actions: [go],
  },
  {
    name: "a grandchild waits for approvals",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "child", task: "Ask" }] }],
      Ask: [{ calls: [{ tool: "grandchild", task: "Pay" }] }],
      Pay: [{ calls: [{ tool: "guarded" }, { tool: "remote" }] }],
    },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go],
  },
  {
    name: "two children wait, and are answered one by one",
    children: "on",
    script: {
      Go: [
        {
          calls: [
            { tool: "child", task: "Pay" },
            { tool: "child", task: "Check" },
          ],
        },
      ],
      Pay: [{ calls: [{ tool: "guarded" }] }],
      Check: [{ calls: [{ tool: "remote" }, { tool: "guarded", ms: 100 }] }],
    },
    answers: "one-by-one",
    actions: [go],
  },
  {
    name: "an abort races with an answer in a child",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "child", task: "Pay" }] }],
      Pay: [{ calls: [{ tool: "guarded", ms: 300 }] }],
    },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "answer", how: "right" },
      { when: { event: "turn_end" }, do: "abort" },
    ],
    mayDiffer: "the answer or the abort may come first",
  },
  {
    name: "a handoff in the middle of a step",
    children: "on",
    script: {
      Go: [
        { calls: [{ tool: "once", ms: 200 }, { tool: "hand_over" }, { tool: "once", ms: 100 }] },
        { calls: [{ tool: "once" }, { tool: "grandchild", task: "Look" }] },
      ],
      Look: [{ say: "Nothing here" }],
    },
    actions: [go, { when: "rest", do: "send", id: "t2", text: "Again" }],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "an abort while a child works",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "child", task: "Dig" }] }],
      Dig: [{ calls: [{ tool: "once", ms: 2_000 }] }],
    },
    actions: [go, { when: { afterMs: 700 }, do: "abort" }],
    mayDiffer: "the child may have ended before",
  },
];

/** Trees of sessions: agents that use agents. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

/** The result of a child in the background comes when it comes. */
const anyTime = "the result may come at another step, or in a turn of its own";

const backgroundScenarios: readonly CrashScenario[] = [
  {
    name: "a child in the background ends while its parent is idle",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "background", task: "Dig" }] }],
      Dig: [{ calls: [{ tool: "once", ms: 800 }] }],
    },
    actions: [go],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: anyTime,
  },
  {
    name: "a child in the background ends in the middle of a turn",
    children: "on",
    script: {
      Go: [
        { calls: [{ tool: "background", task: "Look" }] },
        { calls: [{ tool: "once", ms: 1_500 }] },
      ],
      Look: [{ say: "Nothing here", ms: 300 }],
    },
    actions: [go, { when: "rest", do: "send", id: "t2", text: "Again" }],
    mayDiffer: anyTime,
  },
  {
    name: "a child in the background works on after the process of its parent",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "background", task: "Dig" }, { tool: "once" }] }],
      Dig: [
        {
          calls: [
            { tool: "once", ms: 300 },
            { tool: "idempotent", ms: 900 },
          ],
        },
      ],
    },
    hosts: [{ name: "A" }, { name: "B" }],
    restartMs: 5_000,
    actions: [go, { when: { event: "turn_end" }, do: "close" }],
    mayDiffer: anyTime,
  },
  {
    name: "a child in the background waits for answers",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "background", task: "Pay" }] }],
      Pay: [{ calls: [{ tool: "guarded" }, { tool: "remote" }] }],
    },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go],
    mayDiffer: anyTime,
  },
  {
    name: "an abort races with the end of a child in the background",
    children: "on",
    script: {
      Go: [
        { calls: [{ tool: "background", task: "Look" }] },
        { calls: [{ tool: "once", ms: 2_000 }] },
      ],
      Look: [{ say: "Nothing here", ms: 600 }],
    },
    actions: [
      go,
      { when: { afterMs: 700 }, do: "abort" },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
    mayDiffer: anyTime,
  },
  {
    name: "two children in the background, and one is stopped",
    children: "on",
    script: {
      Go: [
        {
          calls: [
            { tool: "background", task: "Look" },
            { tool: "background", task: "Dig" },
          ],
        },
        { calls: [{ tool: "child_stop" }] },
      ],
      Look: [{ say: "Nothing here", ms: 200 }],
      Dig: [{ calls: [{ tool: "once", ms: 2_000 }] }],
    },
    actions: [go],
    mayDiffer: anyTime,
  },
  {
    name: "a child whose own child works in the background",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "child", task: "Ask" }] }],
      Ask: [{ calls: [{ tool: "background", task: "Pay" }] }],
      Pay: [{ calls: [{ tool: "guarded", ms: 200 }] }],
    },
    actions: [go],
    mayDiffer: anyTime,
  },
  {
    name: "a rewind cuts the call of a child in the background",
    children: "on",
    script: {
      Go: [{ calls: [{ tool: "background", task: "Dig" }] }],
      Dig: [{ calls: [{ tool: "once", ms: 1_500 }] }],
    },
    actions: [
      go,
      { when: { event: "turn_end" }, do: "rewind", id: "r1", to: "t1", before: true },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
    mayDiffer: anyTime,
  },
];

/** Steps of a child that would use up any budget. */
const manySteps = Array.from({ length: 12 }, () => ({ calls: [{ tool: "pure" }] }) as const);

const budgetScenarios: readonly CrashScenario[] = [
  {
    name: "two parallel children share a budget",
    children: "on",
    budget: 8_000,
    script: {
      Go: [
        {
          calls: [
            { tool: "child", task: "Dig" },
            { tool: "child", task: "Look" },
          ],
        },
      ],
      Dig: manySteps,
      Look: manySteps.slice(0, 3),
    },
    actions: [go],
    mayDiffer: "attempts of processes that are gone are not counted",
  },
  {
    name: "children in turn share a budget",
    children: "on",
    budget: 5_000,
    script: {
      Go: Array.from({ length: 4 }, () => ({ calls: [{ tool: "child", task: "Look" }] }) as const),
      Look: manySteps.slice(0, 1),
    },
    actions: [go],
    mayDiffer: "attempts of processes that are gone are not counted",
  },
  {
    name: "a tree shares a budget",
    children: "on",
    budget: 4_000,
    script: {
      Go: [
        { calls: [{ tool: "background", task: "Ask" }] },
        { calls: [{ tool: "child", task: "Look" }] },
      ],
      Ask: [
        { calls: [{ tool: "background", task: "Dig" }] },
        { calls: [{ tool: "grandchild", task: "Look" }] },
      ],
      Dig: manySteps,
      Look: manySteps,
    },
    actions: [go],
    mayDiffer: "attempts of processes that are gone are not counted",
  },
  {
    name: "a child in the background asks for more of the budget",
    children: "on",
    budget: 6_000,
    script: {
      Go: [{ calls: [{ tool: "background", task: "Dig" }] }],
      Dig: manySteps,
    },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go],
    mayDiffer: "attempts of processes that are gone are not counted",
  },
];

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
  ...backgroundScenarios,
  ...budgetScenarios,
];

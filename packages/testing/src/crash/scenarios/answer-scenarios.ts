/** Pending calls, and everything that can be wrong with their answers. */
import type { CrashScenario, ScriptedStep } from "../scenario.ts";
import { go } from "./go.ts";

const mixed: ScriptedStep = {
  calls: [
    { tool: "remote" },
    { tool: "once", ms: 200 },
    { tool: "remote" },
    { tool: "idempotent", ms: 500 },
  ],
};

const asked = { event: "awaiting_tool_execution" } as const;

export const answerScenarios: readonly CrashScenario[] = [
  {
    name: "approvals among parallel calls",
    script: {
      Go: [
        {
          calls: [
            { tool: "guarded" },
            { tool: "once" },
            { tool: "guarded", ms: 100 },
            { tool: "idempotent", ms: 400 },
          ],
        },
      ],
    },
    answers: "early",
    actions: [go],
  },
  {
    name: "calls that suspend themselves",
    script: {
      Go: [
        {
          calls: [
            { tool: "suspending" },
            { tool: "once", ms: 200 },
            { tool: "suspending", ms: 300 },
            { tool: "guarded" },
          ],
        },
        { calls: [{ tool: "suspending" }] },
      ],
    },
    answers: "one-by-one",
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "an abort while a call has suspended itself",
    script: { Go: [{ calls: [{ tool: "suspending" }, { tool: "pure", ms: 200 }] }] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "answer", how: "right" },
      { when: { event: "turn_end" }, do: "abort" },
    ],
    mayDiffer: "the answer or the abort may come first",
  },
  {
    name: "a tool that calls others",
    script: { Go: [{ calls: [{ tool: "calling" }, { tool: "once", ms: 200 }] }] },
    answers: "early",
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "an abort while a call within another waits",
    script: { Go: [{ calls: [{ tool: "calling" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "answer", how: "right" },
      { when: { event: "turn_end" }, do: "abort" },
    ],
    mayDiffer: "the answer or the abort may come first",
  },
  {
    name: "a forged approval",
    script: { Go: [{ calls: [{ tool: "guarded" }, { tool: "remote" }] }] },
    answers: "never",
    actions: [
      go,
      { when: asked, do: "answer", how: "forged" },
      { when: { event: "turn_end" }, do: "answer", how: "forged" },
      { when: "rest", do: "answer", how: "right" },
      { when: "rest", do: "answer", how: "forged" },
    ],
  },
  {
    name: "a decision that is taken back",
    script: { Go: [{ calls: [{ tool: "guarded" }, { tool: "guarded" }, { tool: "remote" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "answer", calls: [0], how: "wrong" },
      { when: { event: "turn_end" }, do: "answer", calls: [0, 1], how: "right" },
      { when: "rest", do: "answer", how: "right" },
      { when: "rest", do: "answer", how: "wrong" },
    ],
    mayDiffer: "the decisions may come in another order",
  },
  {
    name: "a decision that comes too late",
    script: { Go: [{ calls: [{ tool: "hurried" }, { tool: "remote" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { afterMs: 3_000 }, do: "answer", calls: [1], how: "right" },
      { when: { afterMs: 3_500 }, do: "answer", calls: [0], how: "right" },
      { when: "rest", do: "answer", how: "right" },
    ],
    mayDiffer: "it may come before any host notices that it is late",
  },
  {
    name: "a decision just in time",
    script: { Go: [{ calls: [{ tool: "hurried", ms: 300 }, { tool: "pure" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { afterMs: 1_900 }, do: "answer", how: "right" },
      { when: { afterMs: 2_100 }, do: "answer", how: "wrong" },
      { when: "rest", do: "answer", how: "right" },
    ],
    mayDiffer: "a host that died may come back when it is too late",
  },
  {
    name: "an answer as time runs out",
    script: { Go: [{ calls: [{ tool: "ignored" }, { tool: "pure" }] }] },
    actions: [go],
    interjection: { do: "answer" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "it may come in time or not",
  },
  {
    name: "a message instead of answers",
    script: {
      Go: [{ calls: [{ tool: "remote" }, { tool: "guarded" }, { tool: "idempotent", ms: 200 }] }],
    },
    answers: "never",
    actions: [
      go,
      {
        when: { event: "turn_end" },
        do: "send",
        id: "t2",
        text: "Never mind",
        ifPending: "settle",
      },
      { when: "rest", do: "answer", how: "right" },
      { when: "rest", do: "send", id: "t3", text: "Again", ifPending: "settle" },
    ],
  },
  {
    name: "a message instead of an answer that comes at the same time",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "guarded" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "steer", id: "q1", text: "Quickly" },
      {
        when: { event: "turn_end" },
        on: "B",
        do: "send",
        id: "t2",
        text: "Never mind",
        ifPending: "settle",
      },
      { when: "rest", do: "answer", how: "right" },
    ],
    hosts: [{ name: "A" }, { name: "B" }],
    interjection: { do: "answer" },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "either may come first",
  },
  {
    name: "answers among local calls",
    script: { Go: [mixed] },
    answers: "never",
    actions: [
      go,
      { when: asked, do: "answer", calls: [2], how: "right" },
      { when: { event: "tool_execution_end" }, do: "answer", how: "right" },
      { when: "rest", do: "answer", how: "right" },
    ],
  },
  {
    name: "calls that clients claim before they run them",
    script: {
      Go: [{ calls: [{ tool: "remote" }, { tool: "once", ms: 400 }, { tool: "remote" }] }],
    },
    answers: "never",
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [
      go,
      { when: asked, on: "B", do: "claim", by: "phone" },
      { when: { event: "turn_end" }, do: "claim", by: "desktop" },
      { when: "rest", do: "answer", how: "right" },
    ],
  },
  {
    name: "answers one after the other, some of them twice",
    script: { Go: [mixed] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "answer", calls: [2], how: "wrong" },
      { when: { event: "turn_end" }, do: "answer", how: "right" },
      { when: "rest", do: "answer", how: "wrong" },
    ],
    mayDiffer: "the answers may come in another order",
  },
];

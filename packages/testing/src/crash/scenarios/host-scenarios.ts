/** Several hosts on one store, some of which die, pause or hand over. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const twoHosts = [{ name: "A" }, { name: "B" }] as const;

export const hostScenarios: readonly CrashScenario[] = [
  {
    name: "two hosts competing",
    script: {
      Go: [
        { calls: [{ tool: "once", ms: 1_500 }, { tool: "idempotent" }] },
        { calls: [{ tool: "remote" }] },
      ],
    },
    hosts: twoHosts,
    readers: ["A", "B"],
    actions: [
      go,
      {
        when: { event: "tool_execution_start" },
        on: "B",
        do: "followUp",
        id: "f1",
        text: "Thanks",
      },
    ],
  },
  {
    name: "two hosts that open or create one session",
    script: { Go: [{ calls: [{ tool: "once", ms: 300 }] }] },
    hosts: twoHosts,
    readers: ["A", "B"],
    creates: "at open",
    actions: [go, { when: "start", on: "B", do: "followUp", id: "f1", text: "Thanks" }],
    mayDiffer: "either message may come first",
  },
  {
    name: "a turn that is dropped",
    script: {
      Go: [
        {
          calls: [
            { tool: "once", ms: 400 },
            { tool: "idempotent", ms: 2_500 },
          ],
        },
        { ms: 300 },
      ],
    },
    hosts: twoHosts,
    actions: [
      go,
      {
        when: { event: "tool_execution_start" },
        on: "B",
        do: "abandon",
        reason: "It hangs",
      },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "the turn may have come further, or to its end",
  },
  {
    name: "a turn that is dropped while its calls wait",
    script: { Go: [{ calls: [{ tool: "remote" }, { tool: "guarded" }, { tool: "pure" }] }] },
    answers: "never",
    actions: [
      go,
      { when: { event: "turn_end" }, do: "abandon" },
      { when: "rest", do: "answer", how: "right" },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
  },
  {
    name: "a host paused past its lease",
    script: {
      Go: [
        { calls: [{ tool: "once", ms: 500 }, { tool: "checked" }] },
        { say: "A long story", ms: 500 },
      ],
    },
    hosts: twoHosts,
    readers: ["A", "B"],
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "a tool that outlasts its lease",
    script: { Go: [{ calls: [{ tool: "idempotent", ms: 7_000 }, { tool: "once" }] }] },
    hosts: twoHosts,
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "a follower of a host that stands still",
    script: { Go: [{ say: "{process} tells a long story to {process}", ms: 2_500 }] },
    hosts: [...twoHosts, { name: "C", polls: false }],
    readers: ["A", "C"],
    actions: [go],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "another host tells another story",
  },
  {
    name: "a host that hands over",
    script: { Go: [{ calls: [{ tool: "checked", ms: 500 }] }, { say: "A long story", ms: 500 }] },
    hosts: twoHosts,
    actions: [go, { when: { event: "tool_execution_start" }, on: "A", do: "close" }],
  },
  {
    name: "a host that is drained while a tool runs",
    script: { Go: [{ calls: [{ tool: "checked", ms: 500 }] }, { say: "A long story", ms: 500 }] },
    hosts: twoHosts,
    actions: [
      go,
      { when: { event: "tool_execution_start" }, on: "A", do: "close", drainMs: 10_000 },
    ],
  },
  {
    name: "a host that is drained during a reply with calls",
    script: {
      Go: [
        {
          calls: [
            { tool: "checked", ms: 500 },
            { tool: "idempotent", ms: 200 },
          ],
          ms: 500,
        },
        { say: "A long story", ms: 500 },
      ],
    },
    hosts: twoHosts,
    actions: [go, { when: { event: "attempt_start" }, on: "A", do: "close", drainMs: 700 }],
  },
];

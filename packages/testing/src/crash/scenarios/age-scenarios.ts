/** Sessions that are deleted and created again under their id, while other hosts still know the old one. */
import type { CrashHost, CrashScenario } from "../scenario.ts";

const twoHosts: readonly CrashHost[] = [{ name: "A" }, { name: "B" }];
const threeHosts: readonly CrashHost[] = [...twoHosts, { name: "C" }];

export const ageScenarios: readonly CrashScenario[] = [
  {
    name: "deleted at rest and begun again",
    script: {
      "Go in age 1": [{ calls: [{ tool: "idempotent", age: 1 }] }],
      "Go in age 2": [
        {
          calls: [
            { tool: "idempotent", age: 2 },
            { tool: "once", age: 2 },
          ],
        },
      ],
    },
    hosts: twoHosts,
    readers: ["A", "B"],
    actions: [
      { when: "start", do: "send", id: "t1", text: "Go in age 1" },
      { when: { event: "turn_end" }, do: "delete" },
      { when: { event: "turn_end" }, age: 2, do: "send", id: "t1", text: "Go in age 2" },
      { when: "rest", on: "B", do: "use-old-handle", text: "More in age 1" },
      { when: "rest", on: "B", age: 2, do: "send", id: "t2", text: "On in age 2" },
    ],
  },
  {
    name: "deleted in mid-turn by another host, and begun again by a third",
    script: {
      "Go in age 1": [
        { calls: [{ tool: "once", ms: 1_500, age: 1 }] },
        { say: "A story of age 1", ms: 500 },
      ],
      "Go in age 2": [
        {
          calls: [
            { tool: "checked", ms: 500, age: 2 },
            { tool: "once", age: 2 },
          ],
        },
      ],
    },
    hosts: threeHosts,
    readers: ["A", "C"],
    actions: [
      { when: "start", do: "send", id: "t1", text: "Go in age 1" },
      {
        when: { event: "tool_execution_start" },
        on: "C",
        do: "followUp",
        id: "f1",
        text: "More in age 1",
      },
      { when: { event: "tool_execution_delta" }, on: "B", do: "delete" },
      {
        when: { event: "tool_execution_delta" },
        on: "C",
        age: 2,
        do: "send",
        id: "t1",
        text: "Go in age 2",
      },
      { when: "rest", on: "A", do: "use-old-handle", text: "Late in age 1" },
    ],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "messages to the old session may come before or after its end",
  },
  {
    name: "deleted while calls wait, and answered all the same",
    script: {
      "Go in age 1": [
        {
          calls: [
            { tool: "remote", age: 1 },
            { tool: "guarded", age: 1 },
          ],
        },
      ],
      "Go in age 2": [
        {
          calls: [
            { tool: "remote", age: 2 },
            { tool: "guarded", age: 2 },
          ],
        },
      ],
    },
    hosts: twoHosts,
    readers: ["A", "B"],
    actions: [
      { when: "start", do: "send", id: "t1", text: "Go in age 1" },
      { when: { event: "awaiting_tool_execution" }, on: "B", do: "answer", how: "right" },
      { when: { event: "awaiting_tool_execution" }, do: "delete" },
      {
        when: { event: "awaiting_tool_execution" },
        age: 2,
        do: "send",
        id: "t1",
        text: "Go in age 2",
      },
    ],
    mayDiffer: "an answer may come before or after the end of its session",
  },
  {
    name: "sent to a session that is deleted in the meantime",
    script: { "Go in age 1": [{ say: "A story of age 1" }] },
    hosts: twoHosts,
    readers: ["A", "B"],
    actions: [
      { when: "start", do: "send", id: "t1", text: "Go in age 1" },
      { when: { event: "turn_end" }, on: "B", do: "followUp", id: "f1", text: "More in age 1" },
      { when: { event: "turn_end" }, on: "B", do: "send", id: "t2", text: "On in age 1" },
      { when: { event: "turn_end" }, on: "A", do: "delete" },
      { when: { event: "turn_end" }, on: "A", age: 2, do: "send", id: "t1", text: "In age 2" },
      { when: "rest", on: "A", age: 2, do: "send", id: "t3", text: "On in age 2" },
      { when: "rest", on: "B", age: 2, do: "send", id: "t4", text: "At last in age 2" },
    ],
    alsoAtEveryPoint: ["pause"],
    mayDiffer: "messages to the old session may come before or after its end",
  },
];

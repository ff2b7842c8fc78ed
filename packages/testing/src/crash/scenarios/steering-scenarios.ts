/** Agents that steer each step, and guards: the same in every process, at whatever moment one dies. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const steeringScenarios: readonly CrashScenario[] = [
  {
    name: "steps that are prepared",
    steps: "prepared",
    script: {
      Go: [
        { calls: [{ tool: "once" }, { tool: "guarded" }] },
        { calls: [{ tool: "pure" }], failures: 1 },
        { calls: [{ tool: "remote" }] },
      ],
    },
    actions: [
      go,
      { when: "rest", do: "send", id: "t2", text: "And now?", options: { thinkingLevel: "low" } },
    ],
    hosts: [{ name: "A" }, { name: "B" }],
  },
  {
    name: "guards that reject",
    guards: "on",
    script: {
      Go: [
        { calls: [{ tool: "once" }] },
        { say: "Forbidden again", calls: [{ tool: "once" }] },
        { say: "Better" },
      ],
      Next: [{ say: "Forbidden" }],
    },
    actions: [
      go,
      { when: "rest", do: "send", id: "t2", text: "Forbidden" },
      { when: "rest", do: "send", id: "t3", text: "Next" },
      { when: "rest", do: "send", id: "t4", text: "How are you?" },
    ],
    hosts: [{ name: "A" }, { name: "B" }],
    alsoAtEveryPoint: ["pause"],
  },
];

/** Settings of a session: changed between turns, in mid-turn, and for one turn only. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const again = { when: "rest", do: "send", id: "t2", text: "Again" } as const;

export const configScenarios: readonly CrashScenario[] = [
  {
    name: "configured in mid-turn",
    script: {
      Go: [{ calls: [{ tool: "idempotent", ms: 300 }] }, { calls: [{ tool: "checked" }] }],
      Again: [{ calls: [{ tool: "checked" }, { tool: "lent" }] }],
    },
    actions: [
      go,
      {
        when: { event: "tool_execution_start" },
        do: "configure",
        settings: { instructions: "Be long.", tools: ["pure", "lent"], thinkingLevel: "high" },
      },
      again,
    ],
  },
  {
    name: "configured at any time",
    script: { Go: [{ calls: [{ tool: "pure", ms: 100 }] }, { calls: [{ tool: "remote" }] }] },
    actions: [go],
    instructions: "asked",
    interjection: {
      do: "configure",
      settings: { tools: ["pure", "remote"], thinkingLevel: "low" },
    },
    alsoAtEveryPoint: ["post"],
    mayDiffer: "it may be configured before or after",
  },
  {
    name: "instructions that are asked for",
    script: { Go: [{ calls: [{ tool: "checked" }] }] },
    instructions: "asked",
    actions: [
      go,
      { when: "rest", do: "configure", settings: { tools: ["pure"] } },
      again,
      { when: "rest", do: "fork", as: "fork" },
      { when: "rest", do: "send", session: "fork", id: "t3", text: "There" },
    ],
  },
  {
    name: "one turn that differs",
    script: {
      Go: [{ failures: 1, calls: [{ tool: "checked" }] }, { calls: [{ tool: "remote" }] }],
    },
    actions: [
      {
        ...go,
        options: {
          model: "scripted/other",
          thinkingLevel: "max",
          temperature: 0.25,
          maxTokens: 99,
        },
      },
      { when: "rest", do: "configure", settings: { thinkingLevel: "low" } },
      again,
    ],
  },
];

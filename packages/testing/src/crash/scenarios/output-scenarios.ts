/** Outputs stored as blobs, and outputs evicted from the context. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

const long = { tool: "long" } as const;
const read = { tool: "read_output", reference: "t1_1_1" } as const;

export const outputScenarios: readonly CrashScenario[] = [
  {
    name: "long outputs, and room for them",
    script: {
      Go: [
        { calls: [long, { tool: "checked" }, long] },
        { calls: [{ ...long, ms: 100 }] },
        { calls: [read, long] },
      ],
    },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go],
  },
  {
    name: "an image that models reject",
    script: { Go: [{ calls: [{ tool: "picture" }, { tool: "once" }] }, { ms: 200 }] },
    hosts: [{ name: "A" }, { name: "B" }],
    actions: [go, { when: "rest", on: "B", do: "send", id: "t2", text: "Again" }],
  },
  {
    name: "a fork with long outputs",
    script: {
      Go: [{ calls: [long, long] }, { calls: [long] }],
      There: [{ calls: [read] }],
    },
    actions: [
      go,
      { when: "rest", do: "fork", as: "fork" },
      { when: "rest", do: "send", session: "fork", id: "t3", text: "There" },
      { when: "rest", do: "send", id: "t2", text: "There" },
    ],
  },
  {
    name: "long outputs, and a store that fails",
    script: { Go: [{ calls: [long] }, { calls: [long] }, { calls: [long, { tool: "once" }] }] },
    actions: [go],
    alsoAtEveryPoint: ["fail", "pause"],
    mayDiffer: "outputs that the store refuses are not stored",
  },
];

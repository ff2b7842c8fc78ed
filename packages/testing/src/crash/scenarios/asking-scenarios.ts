/** Sessions whose user code learns who is asking: the same in every process. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const askingScenarios: readonly CrashScenario[] = [
  {
    name: "who is asking",
    asking: { principal: "ann", metadata: { plan: "free" }, app: { tenant: "acme" } },
    script: {
      Go: [{ calls: [{ tool: "asking" }, { tool: "remote" }] }, { calls: [{ tool: "asking" }] }],
      Later: [{ calls: [{ tool: "asking" }] }],
      Again: [{ calls: [{ tool: "asking" }] }],
    },
    actions: [
      { ...go, asking: { app: { tenant: "careful" }, metadata: { from: "phone" } } },
      {
        when: { event: "message_end", nth: 2 },
        do: "configure",
        settings: { metadata: { plan: "paid" } },
      },
      {
        when: { event: "message_end", nth: 2 },
        do: "followUp",
        id: "f1",
        text: "Later",
        asking: { app: { tenant: "queued" }, metadata: "queue" },
      },
      { when: "rest", do: "send", id: "t2", text: "Again" },
    ],
  },
];

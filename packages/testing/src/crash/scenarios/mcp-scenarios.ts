/** Calls of an MCP server that asks with a form, or works on a task: answered after every process has died. */
import type { CrashScenario } from "../scenario.ts";
import { go } from "./go.ts";

export const mcpScenarios: readonly CrashScenario[] = [
  {
    name: "a form of an MCP server",
    script: {
      Go: [{ calls: [{ tool: "form" }, { tool: "once", ms: 200 }] }, { calls: [{ tool: "form" }] }],
    },
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
  {
    name: "a task of an MCP server",
    script: { Go: [{ calls: [{ tool: "task" }, { tool: "form" }] }] },
    answers: "one-by-one",
    actions: [go],
    alsoAtEveryPoint: ["pause"],
  },
];

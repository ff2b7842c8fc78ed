/** Scenarios that every build runs, at every point. */
import type { CrashScenario } from "./scenario.ts";
import { ageScenarios } from "./scenarios/age-scenarios.ts";
import { answerScenarios } from "./scenarios/answer-scenarios.ts";
import { askingScenarios } from "./scenarios/asking-scenarios.ts";
import { childScenarios } from "./scenarios/child-scenarios.ts";
import { compactionScenarios } from "./scenarios/compaction-scenarios.ts";
import { configScenarios } from "./scenarios/config-scenarios.ts";
import { forkScenarios } from "./scenarios/fork-scenarios.ts";
import { historyScenarios } from "./scenarios/history-scenarios.ts";
import { hostScenarios } from "./scenarios/host-scenarios.ts";
import { mcpScenarios } from "./scenarios/mcp-scenarios.ts";
import { outputScenarios } from "./scenarios/output-scenarios.ts";
import { queueScenarios } from "./scenarios/queue-scenarios.ts";
import { steeringScenarios } from "./scenarios/steering-scenarios.ts";
import { toolScenarios } from "./scenarios/tool-scenarios.ts";

/** Built-in scenarios of the crash simulator. */
export const crashScenarios: readonly CrashScenario[] = [
  ...toolScenarios,
  ...answerScenarios,
  ...mcpScenarios,
  ...childScenarios,
  ...queueScenarios,
  ...historyScenarios,
  ...configScenarios,
  ...askingScenarios,
  ...steeringScenarios,
  ...forkScenarios,
  ...outputScenarios,
  ...compactionScenarios,
  ...hostScenarios,
  ...ageScenarios,
];

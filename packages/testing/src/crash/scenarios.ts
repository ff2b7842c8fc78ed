/** The scenarios that every build goes through, at every point. */
import type { CrashScenario } from "./scenario.ts";
import { hostScenarios } from "./scenarios/host-scenarios.ts";
import { queueScenarios } from "./scenarios/queue-scenarios.ts";
import { toolScenarios } from "./scenarios/tool-scenarios.ts";

export const crashScenarios: readonly CrashScenario[] = [
  ...toolScenarios,
  ...queueScenarios,
  ...hostScenarios,
];

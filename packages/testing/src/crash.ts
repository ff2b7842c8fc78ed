/** `@capstan/testing/crash`: the crash simulator, which kills hosts at every point and checks the result. */
export { crashScenarios } from "./crash/scenarios.ts";
export { crashScenario, randomCrashRun } from "./crash/random-run.ts";
export { exploreCrashes, exploreSecondCrashes } from "./crash/explore.ts";
export type {
  CrashFailure,
  CrashSummary,
  ExploreOptions,
  SecondCrashOptions,
} from "./crash/explore.ts";
export { exploreSeed } from "./crash/explore-seed.ts";
export type { SeedOptions } from "./crash/explore-seed.ts";
export { runCrowd } from "./crash/crowd.ts";
export type { CrowdOptions } from "./crash/crowd.ts";
export type { CrowdKind, CrowdRun } from "./crash/crowd-run.ts";
export { runCrash } from "./crash/run-crash.ts";
export type { CrashOptions } from "./crash/run-crash.ts";
export { describeFailure, findScenario, parseCrashRun, replayCommand } from "./crash/replay.ts";
export type {
  CrashFault,
  CrashMoment,
  CrashMode,
  CrashPoint,
  CrashReport,
  CrashRun,
} from "./crash/crash-run.ts";
export type {
  ClientAction,
  CrashHost,
  CrashScenario,
  CrashToolName,
  CrashTrigger,
  Interjection,
  ScriptedCall,
  ScriptedStep,
} from "./crash/scenario.ts";
export type { CrashViolation, CrashViolationCode } from "./crash/violation.ts";
export type { FinalState } from "./crash/final-state.ts";
export type { AlterHost } from "./crash/simulated-host.ts";
export type { CreateStore } from "./crash/world.ts";

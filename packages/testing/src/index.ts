/** `@capstan/testing`: what a test of an agent needs, with no test framework. */
export { scriptedProvider } from "./scripted-provider.ts";
export type {
  RecordedRequest,
  ScriptedProvider,
  ScriptedProviderOptions,
} from "./scripted-provider.ts";
export type { Fragment, ReplyUnderWay, ScriptItem } from "./script-item.ts";
export {
  callTool,
  callToolRaw,
  cutToolCall,
  finish,
  native,
  parts,
  pause,
  ping,
  refuse,
  reply,
  say,
  think,
  usage,
} from "./script.ts";
export type { CallToolOptions } from "./script.ts";
export { cutOff, failAfter, failBefore, hang, stall, wait } from "./script-faults.ts";
export type { ScriptedFailure } from "./script-faults.ts";
export { manualClock } from "./manual-clock.ts";
export type { ManualClock } from "./manual-clock.ts";
export { sequentialIds } from "./sequential-ids.ts";
export { recordEvents } from "./record-events.ts";
export type { EventOfType, EventRecorder } from "./record-events.ts";
export { runToEnd } from "./run-to-end.ts";
export type { FinishedTurn, RunToEndOptions } from "./run-to-end.ts";
export { assertValidTranscript, checkTranscript } from "./check-transcript.ts";
export type { TranscriptOptions } from "./check-transcript.ts";
export type { TranscriptProblem, TranscriptProblemCode } from "./transcript-problem.ts";
export { assertValidEvents, checkEvents } from "./check-events.ts";
export type { EventOptions } from "./check-events.ts";
export type { EventProblem, EventProblemCode } from "./event-problem.ts";
export type { Problem } from "./problem.ts";
export { echoTool, failingTool, remoteTool } from "./test-tools.ts";
export type { RecordingTool, StartedCall, TestToolOptions } from "./test-tools.ts";
export { tinyImage } from "./tiny-image.ts";
export { deferredTool } from "./deferred-tool.ts";
export type { DeferredTool, DeferredToolOptions } from "./deferred-tool.ts";
export { storeContract } from "./store-contract/store-contract.ts";
export type { StoreUnderTest, TestFramework } from "./store-contract/store-contract.ts";
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

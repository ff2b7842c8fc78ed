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
export { deferredTool } from "./deferred-tool.ts";
export type { DeferredTool, DeferredToolOptions } from "./deferred-tool.ts";
export { storeContract } from "./store-contract/store-contract.ts";
export type { StoreUnderTest, TestFramework } from "./store-contract/store-contract.ts";

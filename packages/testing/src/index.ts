/** `@capstan/testing`: tools for testing agents, with no test framework. */
export { scriptedProvider } from "./script/scripted-provider.ts";
export type {
  RecordedRequest,
  ScriptedProvider,
  ScriptedProviderOptions,
} from "./script/scripted-provider.ts";
export type { Fragment, ReplyUnderWay, ScriptItem } from "./script/script-item.ts";
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
} from "./script/script.ts";
export type { CallToolOptions } from "./script/script.ts";
export { cutOff, failAfter, failBefore, hang, stall, wait } from "./script/script-faults.ts";
export type { ScriptedFailure } from "./script/script-faults.ts";
export { manualClock } from "./turns/manual-clock.ts";
export type { ManualClock } from "./turns/manual-clock.ts";
export { sequentialIds } from "./turns/sequential-ids.ts";
export { recordEvents } from "./turns/record-events.ts";
export type { EventOfType, EventRecorder } from "./turns/record-events.ts";
export { runToEnd } from "./turns/run-to-end.ts";
export type { FinishedTurn, RunToEndOptions } from "./turns/run-to-end.ts";
export { assertValidTranscript, checkTranscript } from "./checkers/check-transcript.ts";
export type { TranscriptOptions } from "./checkers/check-transcript.ts";
export type { TranscriptProblem, TranscriptProblemCode } from "./checkers/transcript-problem.ts";
export { assertValidEvents, checkEvents } from "./checkers/check-events.ts";
export type { EventOptions } from "./checkers/check-events.ts";
export type { EventProblem, EventProblemCode } from "./checkers/event-problem.ts";
export type { Problem } from "./checkers/problem.ts";
export { echoTool, failingTool, remoteTool } from "./tools/test-tools.ts";
export type { RecordingTool, StartedCall, TestToolOptions } from "./tools/test-tools.ts";
export { toolContext } from "./tools/tool-context.ts";
export { tinyImage } from "./tools/tiny-image.ts";
export { deferredTool } from "./tools/deferred-tool.ts";
export type { DeferredTool, DeferredToolOptions } from "./tools/deferred-tool.ts";

/** `@capstan/kernel`: the turn loop and the contracts around it. */
export { CapstanError, isCapstanError } from "./capstan-error.ts";
export { ProviderError, TurnError, serializeError, toText } from "./errors.ts";
export type { ProviderErrorCode, ProviderErrorOptions, TurnErrorCode } from "./errors.ts";
export { abortReasonOf } from "./abort.ts";
export { isPromise, toPromise } from "./is-promise.ts";
export { interruptionMarker } from "./end-turn.ts";
export { runTurn } from "./run-turn.ts";
export { agentLoop, agentLoopContinue } from "./agent-loop.ts";
export type { AgentLoopConfig, AgentLoopContext, QueueMode } from "./agent-loop.ts";
export { EventQueue } from "./event-queue.ts";
export { LiveView } from "./live-view.ts";
export { startTurn, toTurnResponse } from "./turn.ts";
export type { TurnWork } from "./turn.ts";
export { mergeProviderOptions } from "./merge-provider-options.ts";
export { toModelMessages } from "./model-messages.ts";
export { toToolMessage, toToolResult } from "./tool-result.ts";
export { withApiKey } from "./with-api-key.ts";
export type { GetApiKey } from "./with-api-key.ts";
export { addUsage } from "./usage.ts";
export { isTooDeep } from "./depth.ts";
export { hashJson } from "./hash.ts";
export type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  CustomMessage,
  DocumentPart,
  FinishReason,
  ImagePart,
  JsonValue,
  KeptOutput,
  NativePart,
  Origin,
  RefusalPart,
  PartReference,
  SerializedError,
  SystemMessage,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolContent,
  ToolContentPart,
  ToolMessage,
  Usage,
  UserMessage,
  UserPart,
} from "./contracts/conversation.ts";
export type { BeforeDecision, DispatchedCall, ToolDispatchPolicy } from "./contracts/dispatch.ts";
export type {
  AgentEvent,
  AgentEventBody,
  LiveMessage,
  LivePart,
  LiveToolOutput,
  PendingCall,
  StepTiming,
} from "./contracts/events.ts";
export type { Fact, Journal, JournalReply } from "./contracts/journal.ts";
export type { LogFields, Logger, Span, SpanName } from "./contracts/logging.ts";
export type {
  Fallback,
  FallbackModel,
  MediaLimits,
  ModelFacts,
  OutputFormat,
  ProviderContract,
  ProviderOptionsByVendor,
  ProviderPart,
  ProviderRequest,
  ProviderStreamOptions,
  SamplingSettings,
  ThinkingLevel,
  ToolChoice,
  VendorOptions,
} from "./contracts/provider.ts";
export type {
  AbortSource,
  AskedModel,
  Deadlines,
  EventEmitter,
  FinishedStep,
  MessagesSoFar,
  OpenCall,
  PriorProgress,
  RetryPolicy,
  Room,
  RunTurnInput,
  RunTurnResult,
  Timer,
  TurnLimits,
  TurnProgress,
} from "./contracts/runtime.ts";
export type {
  InputIssue,
  JsonSchema,
  ParsedInput,
  Reconciliation,
  ToolContract,
  ToolDeclaration,
  ToolEffect,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolOutput,
  ToolResult,
  ToolReturn,
} from "./contracts/tool.ts";
export type { Turn, TurnResponse, TurnStatus } from "./contracts/turn.ts";

/** `@capstan/kernel`: the turn loop and the contracts around it. */
export { CapstanError, isCapstanError } from "./errors/capstan-error.ts";
export {
  ProviderError,
  ToolCallError,
  TurnError,
  serializeError,
  toText,
} from "./errors/errors.ts";
export type {
  ProviderErrorCode,
  ProviderErrorOptions,
  ToolCallErrorCode,
  TurnErrorCode,
} from "./errors/errors.ts";
export { abortReasonOf } from "./effects/abort.ts";
export { background } from "./effects/background.ts";
export { isPromise, toPromise } from "./effects/is-promise.ts";
export { interruptionMarker } from "./turn/end-turn.ts";
export { runTurn } from "./turn/run-turn.ts";
export { agentLoop, agentLoopContinue } from "./turn/agent-loop.ts";
export type { AgentLoopConfig, AgentLoopContext, QueueMode } from "./turn/agent-loop.ts";
export { showFact } from "./journal/show-fact.ts";
export type { LastReply, ShownFact, ShownTurn, UnfinishedStep } from "./journal/show-fact.ts";
export { EventQueue } from "./events/event-queue.ts";
export { LiveView } from "./events/live-view.ts";
export { startTurn, toTurnResponse } from "./turn/turn.ts";
export type { TurnWork } from "./turn/turn.ts";
export { parsePartialJson } from "./reply/partial-json.ts";
export { mergeProviderOptions } from "./reply/merge-provider-options.ts";
export { toModelMessages } from "./reply/model-messages.ts";
export { suspend } from "./calls/suspend.ts";
export type { Question, Suspension, SuspensionRequest } from "./calls/suspend.ts";
export { toToolMessage } from "./calls/tool-result.ts";
export { toExecutionEvent, toToolResult } from "./calls/tool-return.ts";
export { withApiKey } from "./reply/with-api-key.ts";
export type { GetApiKey } from "./reply/with-api-key.ts";
export { addUsage } from "./effects/usage.ts";
export { isTooDeep } from "./effects/depth.ts";
export { hashJson } from "./effects/hash.ts";
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
  ChildStep,
  ConversationIds,
  EventIds,
  LiveMessage,
  LivePart,
  LiveToolOutput,
  PendingCall,
  StepTiming,
} from "./contracts/events.ts";
export type { LoopGuards, Rejection, ReplyToJudge } from "./contracts/guards.ts";
export type { Fact, Journal, JournalReply } from "./contracts/journal.ts";
export type { LogFields, Logger, Span, SpanContent, SpanName } from "./contracts/logging.ts";
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
  Deadlines,
  FinishedStep,
  LoopClock,
  LoopContext,
  LoopJournal,
  LoopLimits,
  MessagesSoFar,
  RetryPolicy,
  Room,
  StepChanges,
  StepStart,
  Timer,
  TurnLimits,
} from "./contracts/loop.ts";
export type {
  Answered,
  AskedModel,
  NestedCall,
  OpenCall,
  PreparedStep,
  PriorProgress,
  Resumption,
  TurnProgress,
} from "./contracts/progress.ts";
export type {
  AbortSource,
  EventEmitter,
  RunTurnInput,
  RunTurnResult,
} from "./contracts/runtime.ts";
export type {
  ForwardedCall,
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
  ToolYield,
} from "./contracts/tool.ts";
export type {
  InputOf,
  InputSchema,
  JsonObject,
  SentInputOf,
  StandardProps,
  StandardResult,
  StandardSchema,
  WholeSchema,
} from "./contracts/schema.ts";
export type { Turn, TurnResponse, TurnStatus } from "./contracts/turn.ts";

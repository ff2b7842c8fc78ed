/** `@capstan/core`: agents, and sessions that last. */
export {
  CapstanError,
  ProviderError,
  ToolCallError,
  isCapstanError,
  suspend,
} from "@capstan/kernel";
export type {
  AgentEvent,
  AgentEventBody,
  Answered,
  AskedModel,
  AssistantMessage,
  AssistantPart,
  BeforeDecision,
  ChatMessage,
  ChildStep,
  ConversationIds,
  CustomMessage,
  Deadlines,
  DispatchedCall,
  DocumentPart,
  EventIds,
  Fallback,
  FallbackModel,
  FinishReason,
  FinishedStep,
  ForwardedCall,
  GetApiKey,
  ImagePart,
  InputIssue,
  InputOf,
  InputSchema,
  JsonObject,
  JsonSchema,
  JsonValue,
  KeptOutput,
  LiveMessage,
  LivePart,
  LiveToolOutput,
  LogFields,
  Logger,
  LoopContext,
  LoopLimits,
  MediaLimits,
  MessagesSoFar,
  ModelFacts,
  NativePart,
  Origin,
  OutputFormat,
  ParsedInput,
  PartReference,
  PendingCall,
  ProviderContract,
  ProviderErrorCode,
  ProviderErrorOptions,
  ProviderOptionsByVendor,
  ProviderPart,
  ProviderRequest,
  ProviderStreamOptions,
  Question,
  QueueMode,
  Reconciliation,
  RefusalPart,
  Resumption,
  RetryPolicy,
  Room,
  SamplingSettings,
  SentInputOf,
  SerializedError,
  Span,
  SpanContent,
  SpanName,
  StandardProps,
  StandardResult,
  StandardSchema,
  StepChanges,
  StepStart,
  StepTiming,
  Suspension,
  SuspensionRequest,
  SystemMessage,
  TextPart,
  ThinkingLevel,
  ThinkingPart,
  Timer,
  ToolCallPart,
  ToolChoice,
  ToolContent,
  ToolContentPart,
  ToolContract,
  ToolDeclaration,
  ToolDispatchPolicy,
  ToolEffect,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolMessage,
  ToolOutput,
  ToolCallErrorCode,
  ToolResult,
  ToolReturn,
  ToolYield,
  TurnLimits,
  TurnProgress,
  TurnStatus,
  Usage,
  UserMessage,
  UserPart,
  VendorOptions,
  WholeSchema,
} from "@capstan/kernel";
export type {
  Answer,
  Approval,
  CacheStability,
  CallAnswer,
  CallClaim,
  CallToDecide,
  Cursor,
  EventListener,
  IfPending,
  ListQuery,
  ListedSession,
  MaybePromise,
  MemoryRepository,
  MemoryRepositoryOptions,
  PricedUsage,
  QueueOutcome,
  QueuedItem,
  Refusal,
  RepairedSession,
  RunningCall,
  SalvagedLog,
  SessionConfig,
  SessionEvent,
  SessionHead,
  SessionIds,
  SessionPage,
  SessionRepository,
  SessionStatus,
  StoredEntry,
  ToolResultMessage,
} from "@capstan/log";
export { memoryRepository } from "@capstan/log";
export type { Agent, AgentChanges, RunOptions, TypesOf } from "./agent/agent.ts";
export type { AgentTypes, DeepPartial, KnownAgent, RunArguments } from "./agent/agent-types.ts";
export { createAgent } from "./host/create-agent.ts";
export { agentTool } from "./agent/agent-tool.ts";
export type { AgentToolOptions, AgentToolTypes } from "./agent/agent-tool.ts";
export { AgentError } from "./errors/agent-error.ts";
export type { AgentErrorCode } from "./errors/agent-error.ts";
export type {
  AgentContext,
  AgentInit,
  AgentLimits,
  Instructions,
  InstructionsContext,
  ToolHooks,
  TurnOverrides,
} from "./agent/agent-init.ts";
export type { Budgets } from "./agent/budgets.ts";
export type {
  GuardedInput,
  GuardedReply,
  Guards,
  GuardVerdict,
  NamedGuard,
  OutputGuard,
} from "./agent/guards.ts";
export type { PrepareStep, StepSettings, StepToPrepare } from "./agent/prepare-step.ts";
export type { CompactionOptions } from "./compaction/compaction-options.ts";
export type { OutputLimits } from "./outputs/output-limits.ts";
export { costOf } from "./models/cost.ts";
export type { ModelPrice, PriceTier, TokenPrices } from "./models/cost.ts";
export type { Model, ModelChoice, ResolveModel } from "./models/model.ts";
export { createModelRegistry, ModelRegistry } from "./models/registry.ts";
export type { Aliases, ModelRegistryOptions, RegisteredModel } from "./models/registry.ts";
export { modelResolver } from "./models/model-resolver.ts";
export type { ModelResolverOptions, VendorFunction } from "./models/model-resolver.ts";
export { longTimer, systemClock } from "./platform/clock.ts";
export { problemOfNumbers } from "./platform/option-numbers.ts";
export type { NumberRule } from "./platform/option-numbers.ts";
export type { Clock } from "./platform/clock.ts";
export { createSession, openSession, restoreSession } from "./host/create-session.ts";
export type { OpenInit, OwnHost, RestoreInit, SessionInit } from "./host/create-session.ts";
export { Host, createHost } from "./host/host.ts";
export type { FaultPlace, HostFault, OnFault } from "./host/host-fault.ts";
export type { AgentsByName, HostAgents, NewSession, SessionFields } from "./host/host.ts";
export type { SessionStart } from "./host/open-or-create.ts";
export type { HostOptions, SessionReads } from "./host/host-options.ts";
export type { HostCloseOptions, HostRunOptions } from "./host/run-host.ts";
export type {
  AnswerInput,
  InputMessage,
  SendInput,
  SendOptions,
  TurnInput,
  TurnRequest,
} from "./input/input.ts";
export type { Receipt } from "./following/receipts.ts";
export { Session } from "./session/session.ts";
export { execute, forkSession } from "./session/synonyms.ts";
export type { ExecuteOptions } from "./session/synonyms.ts";
export type { SubscribeFrom } from "./following/subscribe-after.ts";
export { SessionError } from "./errors/session-error.ts";
export type { SessionErrorCode } from "./errors/session-error.ts";
export type { CompactionResult, CompactOptions } from "./session/compaction-request.ts";
export type { HistoryMessage } from "./input/check-history.ts";
export type { RewindOptions } from "./session/rewind.ts";
export type { SessionOrigin } from "./session/session-host.ts";
export type { ChildMemory, ChildMode } from "./tools/other-agents.ts";
export type { SessionChild } from "./session/session-children.ts";
export type { ParentCall, TreeListener, TreePosition } from "@capstan/log";
export type { QueuedInput, QueueOptions } from "./session/session-queues.ts";
export type { SessionSettings } from "./session/session-settings.ts";
export type { ImportChoices, RestoreOptions } from "./session/copies.ts";
export type { Artifact, ProviderId, SessionSnapshot, StoredBlob } from "./session/snapshot.ts";
export type { PartOfLog } from "./following/log-pages.ts";
export type {
  SessionReading,
  SessionReadingPage,
  SessionUsage,
  RunningToolCall,
  SessionState,
} from "./session/session-state.ts";
export { bindTools } from "./tools/bind-tools.ts";
export { createSimpleTool } from "./tools/simple-tool.ts";
export type { SimpleToolResult } from "./tools/simple-tool.ts";
export { defineTool } from "./tools/define-tool.ts";
export type { DefinedTool, DefinedTypes, NoExecute, ToolDefinition } from "./tools/define-tool.ts";
export { dependency, override } from "./tools/dependency.ts";
export type {
  Dependency,
  DependencyContext,
  DependencyLifetime,
  DependencyOptions,
  GetDependency,
  Override,
} from "./tools/dependency.ts";
export { DependencyError } from "./errors/dependency-error.ts";
export type { DependencyErrorCode } from "./errors/dependency-error.ts";
export { DependencyScope, createScope } from "./tools/dependency-scope.ts";
export type { ScopeOptions } from "./tools/dependency-scope.ts";
export { doneTool } from "./tools/done-tool.ts";
export { withoutPatterns } from "./tools/json-schema/without-patterns.ts";
export { tokensOfTools } from "./context/estimate-tokens.ts";
export { guardTool } from "./tools/guard-tool.ts";
export type { DoneToolOptions } from "./tools/done-tool.ts";
export type { AppField, AppSchema } from "./tools/app-schema.ts";
export type {
  AnyTool,
  AppForTools,
  RemoteTool,
  Tool,
  ToolExecution,
  ToolTypes,
} from "./tools/tool.ts";
export type { ToolSource, ToolSourceRequest } from "./tools/tool-source.ts";
export type {
  EventOf,
  JsonOf,
  NamedCall,
  OtherToolName,
  PendingCallOf,
} from "./tools/tool-calls.ts";
export type { Turn, TurnEvent, TurnResponse } from "./following/turn.ts";
export type { SessionContext, SessionInfo, TurnContext, TurnInfo } from "./tools/turn-context.ts";
export type { ToolContext } from "./tools/tool-context.ts";
export { ToolError } from "./errors/tool-error.ts";
export type { ToolErrorCode } from "./errors/tool-error.ts";
export { fail, ok } from "./tools/tool-output.ts";
export { handoff } from "./agent/handoff.ts";
export type { HandoffOptions, HandoffTypes } from "./agent/handoff.ts";

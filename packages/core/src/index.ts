/** `@capstan/core`: agents, and sessions that last. */
export { CapstanError, isCapstanError } from "@capstan/kernel";
export { Agent, createAgent } from "./agent/agent.ts";
export type { RunOptions } from "./agent/agent.ts";
export { agentTool } from "./agent/agent-tool.ts";
export type { AgentToolOptions } from "./agent/agent-tool.ts";
export { AgentError } from "./agent/agent-error.ts";
export type { AgentErrorCode } from "./agent/agent-error.ts";
export type {
  AgentInit,
  Instructions,
  InstructionsContext,
  ToolHooks,
  TurnOverrides,
} from "./agent/agent-init.ts";
export type { Budgets } from "./agent/budgets.ts";
export type { CompactionOptions } from "./context/compaction-options.ts";
export type { OutputLimits } from "./context/output-limits.ts";
export { costOf } from "./agent/cost.ts";
export type { ModelPrice, PriceTier, TokenPrices } from "./agent/cost.ts";
export type { Model, ModelChoice, ResolveModel } from "./agent/model.ts";
export { createModelRegistry, ModelRegistry } from "./models/registry.ts";
export type { Aliases, ModelRegistryOptions, RegisteredModel } from "./models/registry.ts";
export { modelResolver } from "./models/model-resolver.ts";
export type { ModelResolverOptions, VendorFunction } from "./models/model-resolver.ts";
export { longTimer, systemClock } from "./clock.ts";
export { problemOfNumbers } from "./option-numbers.ts";
export type { NumberRule } from "./option-numbers.ts";
export type { Clock } from "./clock.ts";
export { createSession, restoreSession } from "./create-session.ts";
export type { OwnHost, RestoreInit, SessionInit } from "./create-session.ts";
export { Host, createHost } from "./host.ts";
export type { FaultPlace, HostFault, OnFault } from "./host-fault.ts";
export type { HostOptions, NewSession } from "./host.ts";
export type {
  Answer,
  Approval,
  CallAnswer,
  InputMessage,
  SendInput,
  SendOptions,
  TurnInput,
  TurnRequest,
} from "./input.ts";
export type { EventListener } from "./readers.ts";
export type { Receipt } from "./receipts.ts";
export { Session, execute, forkSession } from "./session.ts";
export type { SubscribeFrom } from "./session.ts";
export { SessionError } from "./session-error.ts";
export type { SessionErrorCode } from "./session-error.ts";
export type { CompactionResult, CompactOptions } from "./session-compaction.ts";
export type { SessionOrigin } from "./session-host.ts";
export type { QueuedInput } from "./session-queues.ts";
export type { SessionSettings } from "./session-settings.ts";
export type { ImportChoices, RestoreOptions } from "./session-copies.ts";
export type { ProviderId, SessionState, StoredBlob } from "./session-state.ts";
export type { PartOfLog } from "./session-log.ts";
export type {
  SessionReading,
  SessionReadingPage,
  SessionUsage,
  SessionView,
} from "./session-view.ts";
export { bindTools } from "./tools/bind-tools.ts";
export { createSimpleTool } from "./tools/simple-tool.ts";
export type { SimpleToolResult } from "./tools/simple-tool.ts";
export { defineTool } from "./tools/define-tool.ts";
export type { ToolDefinition } from "./tools/define-tool.ts";
export { dependency, override } from "./tools/dependency.ts";
export type {
  Dependency,
  DependencyLifetime,
  DependencyOptions,
  GetDependency,
  Override,
} from "./tools/dependency.ts";
export { DependencyError } from "./tools/dependency-error.ts";
export type { DependencyErrorCode } from "./tools/dependency-error.ts";
export { DependencyScope, createScope } from "./tools/dependency-scope.ts";
export type { ScopeOptions } from "./tools/dependency-scope.ts";
export { doneTool } from "./tools/done-tool.ts";
export type { DoneToolOptions } from "./tools/done-tool.ts";
export type { InputOf, InputSchema, JsonObject, SentInputOf } from "./tools/input-schema.ts";
export type {
  StandardIssue,
  StandardProps,
  StandardResult,
  StandardSchema,
} from "./tools/standard-schema.ts";
export type { AnyTool, Tool, ToolExecution } from "./tools/tool.ts";
export type { ToolContext } from "./tools/tool-context.ts";
export { ToolError } from "./tools/tool-error.ts";
export type { ToolErrorCode } from "./tools/tool-error.ts";
export { fail, ok } from "./tools/tool-output.ts";

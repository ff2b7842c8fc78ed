/** `@capstan/client`: drives sessions of a server, from a browser or Node, and lends them tools. */
export { connect } from "./session/client.ts";
export type { Client, ClientOptions } from "./session/client.ts";
export type {
  CallOptions,
  ClientSession,
  QueueOptions,
  SendInput,
  SendOptions,
} from "./session/client-session.ts";
export type { Subscription } from "./turns/session-runtime.ts";
export type { ClientSessionState } from "./mirror/session-mirror.ts";
export type { SessionStart, TurnInput } from "./turns/turn-handles.ts";
export { lendTool } from "./lent-tools/lend-tool.ts";
export type { LentToolContext, LentToolDefinition } from "./lent-tools/lend-tool.ts";
export type { ConnectionOptions } from "./stream/connection.ts";
export type { RetryOptions } from "./stream/pause.ts";
export { ClientError } from "./errors/client-error.ts";
export type { ClientErrorCode, ClientErrorOptions } from "./errors/client-error.ts";
export type { InputOf, InputSchema, StandardSchema } from "@capstan/kernel";
export type {
  Answer,
  Approval,
  CallAnswer,
  CallToDecide,
  ClientTurnOverrides,
  EventListener,
  IfPending,
  QueuedInput,
  QueueReply,
  RequestIssue,
  SessionEvent,
  SessionList,
  SessionListQuery,
  SessionSummary,
  UserInput,
} from "@capstan/log";

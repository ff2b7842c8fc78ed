/** `@capstan/client`: drives sessions of a server, from a browser or Node, and lends them tools. */
export { connect } from "./client.ts";
export type { Client, ClientOptions, ListQuery, ListedSession, SessionPage } from "./client.ts";
export type {
  CallOptions,
  ClientSession,
  Decision,
  QueueOptions,
  SendInput,
  SendOptions,
} from "./client-session.ts";
export type { EventListener, Subscription } from "./session-runtime.ts";
export type { ClientSessionState } from "./session-mirror.ts";
export type {
  QueuedInput,
  SessionStart,
  TurnInput,
  TurnOverrides,
  UserInput,
} from "./turn-handles.ts";
export type { Answer, Approval, CallAnswer } from "./run-tool.ts";
export { lendTool } from "./lend-tool.ts";
export type { InputOf, InputSchema, LentToolDefinition, StandardSchema } from "./lend-tool.ts";
export type { ConnectionOptions } from "./connection.ts";
export type { RetryOptions } from "./pause.ts";
export { ClientError } from "./client-error.ts";
export type { ClientErrorCode, ClientErrorOptions } from "./client-error.ts";

/** `@capstan/server`: sessions over HTTP. */
export type { RequestIssue } from "@capstan/log";
export { createServer, Server } from "./server/create-server.ts";
export type { ChatOptions, ServerOptions } from "./server/server-options.ts";
export type { ChatProtocol } from "@capstan/log/chat";
export type { ProxyOptions } from "./proxy/proxy-options.ts";
export type { Spending, SpendingLedger, SpendingLimits } from "./proxy/budget.ts";
export type { AccessRules } from "./guard/access.ts";
export { bearerTokens } from "./guard/authenticate.ts";
export type { Authenticate, Identity } from "./guard/authenticate.ts";
export type { ClientToolLimits, ServerLimits } from "./guard/limits.ts";
export type { EventStream, FrameSink, FrameSource } from "./streaming/frame-sink.ts";
export { ServerError } from "./guard/server-error.ts";
export type { ServerErrorCode } from "./guard/server-error.ts";

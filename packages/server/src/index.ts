/** `@capstan/server`: sessions over HTTP. */
export { createServer, Server } from "./create-server.ts";
export type { ServerOptions } from "./server-options.ts";
export type { AccessRules } from "./access.ts";
export { bearerTokens } from "./authenticate.ts";
export type { Authenticate, Identity } from "./authenticate.ts";
export type { ClientToolLimits, ServerLimits } from "./limits.ts";
export type { EventStream, FrameSink, FrameSource } from "./frame-sink.ts";
export { ServerError } from "./server-error.ts";
export type { RequestIssue, ServerErrorCode } from "./server-error.ts";

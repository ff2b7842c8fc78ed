/** `@capstan/core`: agents, and sessions that last. */
export type { Agent } from "./agent.ts";
export type { Clock } from "./clock.ts";
export { Host, createHost } from "./host.ts";
export type { HostOptions, NewSession } from "./host.ts";
export type { Answer, Approval, CallAnswer, SendInput, SendOptions } from "./input.ts";
export type { EventListener } from "./readers.ts";
export type { Receipt } from "./receipts.ts";
export { Session } from "./session.ts";
export type { SubscribeFrom } from "./session.ts";
export { SessionError } from "./session-error.ts";
export type { SessionErrorCode } from "./session-error.ts";
export type { SessionOrigin } from "./session-host.ts";

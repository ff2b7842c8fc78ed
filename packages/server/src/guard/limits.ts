/** Limits on what one client may request. */
import { problemOfNumbers } from "@capstan/core";
import type { NumberRule } from "@capstan/core";
import { ServerError } from "./server-error.ts";

/** Limits of a server; those by principal protect clients from each other. */
export interface ServerLimits {
  /** Size of a request body. Default 10,000,000, because images are sent in the body. */
  readonly maxBodyBytes: number;
  /** Bytes of one principal's pending request bodies. Default 30,000,000. */
  readonly maxBodyBytesPerPrincipal: number;
  /** Bytes of all pending request bodies. Default 100,000,000. */
  readonly maxBodyBytesInAll: number;
  /** Maximum nesting of JSON. Default 100. */
  readonly maxJsonDepth: number;
  /** Maximum number of values in a body, including nested ones. Default 20,000. */
  readonly maxJsonValues: number;
  /** Default 1,000. With `Infinity` sessions are not counted. */
  readonly sessionsPerPrincipal: number;
  /** Characters in one session's messages and queued items. Default 100,000,000. */
  readonly maxStoredCharsPerSession: number;
  /** Characters in all sessions of a principal that this process has used. Default 1,000,000,000. */
  readonly maxStoredCharsPerPrincipal: number;
  /** Open at the same time. Default 50. */
  readonly streamsPerPrincipal: number;
  /** Default 600. Bursts may be as large. */
  readonly requestsPerMinute: number;
  /** Characters buffered for a slow reader. Default 256,000. */
  readonly maxUnreadChars: number;
  /** Characters buffered for all readers: above it nothing more is buffered for slow readers. Default 64,000,000. */
  readonly maxUnreadCharsInAll: number;
  /** A reader that accepts nothing for this long is disconnected. Default 30,000. */
  readonly stalledReaderMs: number;
  /** Interval of heartbeats on an idle stream. Default 15,000. */
  readonly heartbeatMs: number;
  /** How long an unused session stays in memory. Default 60,000. */
  readonly idleSessionMs: number;
}

/** Limits of the tools that clients lend. */
export interface ClientToolLimits {
  /** Per session. Default 64. */
  readonly maxTools: number;
  /** Characters of one declaration's JSON. Default 32,000. */
  readonly maxChars: number;
  /** Time to answer a call: the maximum, and the default if the client sets none. Default 24 hours. */
  readonly answerWithinMs: number;
  /** Maximum duration of a claim. Default 10 minutes. */
  readonly maxClaimMs: number;
}

export const defaultLimits: ServerLimits = {
  maxBodyBytes: 10_000_000,
  maxBodyBytesPerPrincipal: 30_000_000,
  maxBodyBytesInAll: 100_000_000,
  maxJsonDepth: 100,
  maxJsonValues: 20_000,
  sessionsPerPrincipal: 1_000,
  maxStoredCharsPerSession: 100_000_000,
  maxStoredCharsPerPrincipal: 1_000_000_000,
  streamsPerPrincipal: 50,
  requestsPerMinute: 600,
  maxUnreadChars: 256_000,
  maxUnreadCharsInAll: 64_000_000,
  stalledReaderMs: 30_000,
  heartbeatMs: 15_000,
  idleSessionMs: 60_000,
};

/** Throws `invalid_options` for a value that is not a number, which would not limit anything. */
export function checkLimits(limits: object | undefined, path: string): void {
  const problem = problemOfNumbers(limits, rules, path);
  if (problem !== undefined) throw new ServerError("invalid_options", `The server's ${problem}`);
}

const rules: Readonly<Record<keyof ServerLimits | keyof ClientToolLimits, NumberRule>> = {
  maxBodyBytes: "above 0",
  maxBodyBytesPerPrincipal: "above 0",
  maxBodyBytesInAll: "above 0",
  maxJsonDepth: "above 0",
  maxJsonValues: "above 0",
  sessionsPerPrincipal: "0 or more",
  maxStoredCharsPerSession: "0 or more",
  maxStoredCharsPerPrincipal: "0 or more",
  streamsPerPrincipal: "0 or more",
  requestsPerMinute: "above 0",
  maxUnreadChars: "0 or more",
  maxUnreadCharsInAll: "0 or more",
  stalledReaderMs: "above 0",
  heartbeatMs: "above 0",
  idleSessionMs: "0 or more",
  maxTools: "0 or more",
  maxChars: "above 0",
  answerWithinMs: "above 0",
  maxClaimMs: "above 0",
};

export const defaultClientTools: ClientToolLimits = {
  maxTools: 64,
  maxChars: 32_000,
  answerWithinMs: 86_400_000,
  maxClaimMs: 600_000,
};

/** Maximum number of characters of a cursor. Node refuses requests whose headers have more than 16,384 bytes. */
export const maxCursorChars = 8_000;

/** Maximum number of entries per page of a session. */
export const maxPageEntries = 1_000;

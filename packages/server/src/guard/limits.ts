/** How much one client may ask for. */
import { problemOfNumbers } from "@capstan/core";
import type { NumberRule } from "@capstan/core";
import { ServerError } from "./server-error.ts";

export interface ServerLimits {
  /** Of a request. Default 10,000,000: pictures come in the body. */
  readonly maxBodyBytes: number;
  /** Bytes of one principal's request bodies that are under way. Default 30,000,000. */
  readonly maxBodyBytesPerPrincipal: number;
  /** Bytes of all request bodies that are under way. Default 100,000,000. */
  readonly maxBodyBytesInAll: number;
  /** How deep JSON may be nested. Default 100. */
  readonly maxJsonDepth: number;
  /** How many values a body may hold, counting those inside of others. Default 20,000. */
  readonly maxJsonValues: number;
  /** Default 1,000. With `Infinity` they are not counted. */
  readonly sessionsPerPrincipal: number;
  /** Characters of one session's messages and queued items. Default 100,000,000. */
  readonly maxStoredCharsPerSession: number;
  /** Characters of all sessions of a principal that this process has seen. Default 1,000,000,000. */
  readonly maxStoredCharsPerPrincipal: number;
  /** Open at a time. Default 50. */
  readonly streamsPerPrincipal: number;
  /** Default 600. As many may come at once. */
  readonly requestsPerMinute: number;
  /** What is kept in memory for a reader that is slower than what it reads. Default 256,000 characters. */
  readonly maxUnreadChars: number;
  /** The same for all readers together: beyond it nothing more is kept for a reader that is behind. Default 64,000,000. */
  readonly maxUnreadCharsInAll: number;
  /** A reader that takes nothing for so long is cut. Default 30,000. */
  readonly stalledReaderMs: number;
  /** How often an idle stream says that it is alive. Default 15,000. */
  readonly heartbeatMs: number;
  /** How long a session that nobody asks for is kept in memory. Default 60,000. */
  readonly idleSessionMs: number;
}

export interface ClientToolLimits {
  /** In one session. Default 64. */
  readonly maxTools: number;
  /** Of the JSON of one declaration. Default 32,000. */
  readonly maxChars: number;
  /** How long a call may stay unanswered, at most and where the client names no time. Default 24 hours. */
  readonly answerWithinMs: number;
  /** How long a claim of a call holds, at most. Default 10 minutes. */
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

/** Throws `invalid_options` for what is no number: it would be no limit. */
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

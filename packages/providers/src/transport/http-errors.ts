/** Converts errors by what all vendors have in common. */
import type { JsonValue, PartReference, ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { Target, VendorFailure } from "../wire/protocol.ts";
import { isContextOverflow } from "./context-overflow.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { isSpentQuota } from "./spent-quota.ts";

/** Details a protocol found in the body of a failure. */
export interface FailureDetails {
  /** The vendor's message. */
  readonly message?: string | undefined;
  /** Set if the body states more than the status. */
  readonly code?: ProviderErrorCode | undefined;
  /** Status in the body: servers abort a stream with one after HTTP 200. */
  readonly status?: number | undefined;
  /** False if the vendor states that waiting does not help. */
  readonly retryable?: false | undefined;
  /** Whether the account has no credit left. Default: detected by common phrases. */
  readonly isSpent?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly rejected?: PartReference | undefined;
}

/** Exceptions to the meaning of the status class. */
const codes: Readonly<Record<number, ProviderErrorCode>> = {
  401: "auth",
  // Payment required: no request with this key will be served.
  402: "auth",
  403: "auth",
  407: "auth",
  408: "network",
  // The vendors' own SDKs retry it: another request holds a lock.
  409: "overloaded",
  425: "overloaded",
  429: "rate_limit",
  // Groq: the capacity of the flex tier is exceeded.
  498: "overloaded",
  // Closed by a proxy between us and the vendor.
  499: "network",
  501: "invalid_request",
  505: "invalid_request",
};

export function codeOfStatus(status: number): ProviderErrorCode {
  return (
    codes[status] ?? (status >= 500 ? "overloaded" : status >= 400 ? "invalid_request" : "protocol")
  );
}

/** Codes under which vendors report a context overflow: they send 400, 413, 429 and 500. */
const mayBeOverflow: ReadonlySet<ProviderErrorCode> = new Set([
  "invalid_request",
  "rate_limit",
  "overloaded",
  "protocol",
]);

/** Codes that vendors also use for a used-up quota. */
const mayBeSpent: ReadonlySet<ProviderErrorCode> = new Set([
  "invalid_request",
  "rate_limit",
  "overloaded",
]);

/** Reads a status from the fields of an error: a number, or its digits. */
export function statusIn(error: Readonly<Record<string, JsonValue>>): number | undefined {
  const stated = ["code", "status", "status_code", "raw_status_code"].map((name) => error[name]);
  return stated
    .map((value) => (typeof value === "string" && value.length === 3 ? Number(value) : value))
    .find((value) => typeof value === "number" && value >= 400 && value < 600) as
    | number
    | undefined;
}

/** Converts a response with an error status, or an error within a stream. */
export function toProviderError(
  failure: VendorFailure,
  target: Target,
  details: FailureDetails = {},
): ProviderError {
  const { headers, text } = failure;
  const status = failure.status ?? details.status;
  const retryAfterMs = details.retryAfterMs ?? parseRetryAfter(headers);
  const isSilent = text.trim() === "" && details.message === undefined;
  const words = details.message ?? text;
  // An unknown failure within a stream may well not happen again.
  const stated = details.code ?? (status === undefined ? "overloaded" : codeOfStatus(status));
  // A vendor that states how long to wait means a limit per minute.
  const isSpent = details.isSpent ?? (retryAfterMs === undefined && isSpentQuota(words));
  const code = codeOf(stated, words, isSilent ? failure.status : undefined, isSpent);
  const answered =
    failure.status === undefined
      ? "interrupted its reply"
      : `answered with status ${failure.status}`;
  const said = oneLine(words);
  return new ProviderError(
    code,
    `${target.origin.provider} ${answered}${said === "" ? " and an empty body" : `: ${said}`}`,
    {
      status,
      retryAfterMs,
      rejected: details.rejected,
      ...(details.retryable === false && { retryable: false }),
    },
  );
}

/** `silentStatus`: the status of a response without a body. */
function codeOf(
  stated: ProviderErrorCode,
  words: string,
  silentStatus: number | undefined,
  isSpent: boolean,
): ProviderErrorCode {
  // Some servers report a context overflow without any message.
  if (silentStatus === 400 || silentStatus === 413) return "context_overflow";
  if (mayBeOverflow.has(stated) && isContextOverflow(words)) return "context_overflow";
  return isSpent && mayBeSpent.has(stated) ? "auth" : stated;
}

/** The beginning of a text, on one line, for a message. */
export function oneLine(text: string, maxLength = 500): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** What all vendors mean by an error: the part of the table that no protocol has to know. */
import type { JsonValue, PartReference, ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { Target, VendorFailure } from "../wire/protocol.ts";
import { isContextOverflow } from "./context-overflow.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { isSpentQuota } from "./spent-quota.ts";

/** What a protocol has read in the body of a failure. */
export interface FailureDetails {
  /** The vendor's own words. */
  readonly message?: string | undefined;
  /** Where the body says more than the status. */
  readonly code?: ProviderErrorCode | undefined;
  /** A status that the body states: servers break off a stream with one after HTTP 200. */
  readonly status?: number | undefined;
  /** False if the vendor says that waiting does not help. */
  readonly retryable?: false | undefined;
  /** Whether nothing is left to pay with. Default: by the words that many vendors have for it. */
  readonly isSpent?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly rejected?: PartReference | undefined;
}

/** Statuses that are not what their hundred says. */
const codes: Readonly<Record<number, ProviderErrorCode>> = {
  401: "auth",
  // Payment required: no request with this key will be served, whatever it says.
  402: "auth",
  403: "auth",
  407: "auth",
  408: "network",
  // The vendors' own SDKs retry it: somebody else holds a lock.
  409: "overloaded",
  425: "overloaded",
  429: "rate_limit",
  // Groq: the capacity of the flex tier is exceeded.
  498: "overloaded",
  // Closed by whoever stands in front of the vendor.
  499: "network",
  501: "invalid_request",
  505: "invalid_request",
};

export function codeOfStatus(status: number): ProviderErrorCode {
  return (
    codes[status] ?? (status >= 500 ? "overloaded" : status >= 400 ? "invalid_request" : "protocol")
  );
}

/** Codes that an overflow of the context may hide behind: vendors send it as 400, 413, 429 and 500. */
const mayBeOverflow: ReadonlySet<ProviderErrorCode> = new Set([
  "invalid_request",
  "rate_limit",
  "overloaded",
  "protocol",
]);

/** Codes that vendors also use for a spent quota. */
const mayBeSpent: ReadonlySet<ProviderErrorCode> = new Set([
  "invalid_request",
  "rate_limit",
  "overloaded",
]);

/** A status among the fields of an error: a number, or its digits. */
export function statusIn(error: Readonly<Record<string, JsonValue>>): number | undefined {
  const stated = ["code", "status", "status_code", "raw_status_code"].map((name) => error[name]);
  return stated
    .map((value) => (typeof value === "string" && value.length === 3 ? Number(value) : value))
    .find((value) => typeof value === "number" && value >= 400 && value < 600) as
    | number
    | undefined;
}

/** An answer with an error status, or an error inside of a stream, as the error that callers know. */
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
  // A failure that is told in a stream and that nothing is known of may well not happen again.
  const stated = details.code ?? (status === undefined ? "overloaded" : codeOfStatus(status));
  // A vendor that says how long to wait means a limit by the minute.
  const isSpent = details.isSpent ?? (retryAfterMs === undefined && isSpentQuota(words));
  const code = codeOf(stated, words, isSilent ? failure.status : undefined, isSpent);
  const answered =
    failure.status === undefined ? "broke off its reply" : `answered with status ${failure.status}`;
  const said = oneLine(words);
  return new ProviderError(
    code,
    `${target.origin.provider} ${answered}${said === "" ? " and said nothing" : `: ${said}`}`,
    {
      status,
      retryAfterMs,
      rejected: details.rejected,
      ...(details.retryable === false && { retryable: false }),
    },
  );
}

/** `silentStatus`: the status of an answer without a body. */
function codeOf(
  stated: ProviderErrorCode,
  words: string,
  silentStatus: number | undefined,
  isSpent: boolean,
): ProviderErrorCode {
  // Some servers have no word for a context that is too long.
  if (silentStatus === 400 || silentStatus === 413) return "context_overflow";
  if (mayBeOverflow.has(stated) && isContextOverflow(words)) return "context_overflow";
  return isSpent && mayBeSpent.has(stated) ? "auth" : stated;
}

/** The beginning of a text, fit for a message. */
export function oneLine(text: string, maxLength = 500): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

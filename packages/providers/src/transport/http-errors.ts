/** What all vendors mean by an error: the part of the table that no protocol has to know. */
import type { PartReference, ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { Target, VendorFailure } from "../protocol.ts";
import { isContextOverflow } from "./context-overflow.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** What a protocol has read in the body of a failure. */
export interface FailureDetails {
  /** The vendor's own words. */
  readonly message?: string | undefined;
  /** Where the body says more than the status. */
  readonly code?: ProviderErrorCode | undefined;
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

/** An answer with an error status, or an error inside of a stream, as the error that callers know. */
export function toProviderError(
  failure: VendorFailure,
  target: Target,
  details: FailureDetails = {},
): ProviderError {
  const { status, headers, text } = failure;
  const stated = details.code ?? (status === undefined ? "protocol" : codeOfStatus(status));
  const isOverflow = mayBeOverflow.has(stated) && isContextOverflow(details.message ?? text);
  const answered = status === undefined ? "broke off its reply" : `answered with status ${status}`;
  const said = oneLine(details.message ?? text);
  return new ProviderError(
    isOverflow ? "context_overflow" : stated,
    `${target.origin.provider} ${answered}${said === "" ? " and said nothing" : `: ${said}`}`,
    {
      status,
      retryAfterMs: details.retryAfterMs ?? parseRetryAfter(headers),
      rejected: details.rejected,
    },
  );
}

/** The beginning of a text, fit for a message. */
export function oneLine(text: string, maxLength = 500): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

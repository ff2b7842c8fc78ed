/** Converts the vendor's errors, from responses and from within streams. */
import type { JsonValue, ProviderError, ProviderErrorCode } from "@capstan/kernel";
import type { Target, VendorFailure } from "../../wire/protocol.ts";
import { statusIn, toProviderError } from "../../transport/http-errors.ts";
import { isSpentQuota } from "../../transport/spent-quota.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";

/** By the vendor's error status, which a stream has instead of an HTTP status. For others the HTTP status decides. */
const codes: Readonly<Record<string, ProviderErrorCode>> = {
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  RESOURCE_EXHAUSTED: "rate_limit",
  UNAVAILABLE: "overloaded",
  INTERNAL: "overloaded",
  DEADLINE_EXCEEDED: "overloaded",
  ABORTED: "overloaded",
  UNKNOWN: "overloaded",
  CANCELLED: "network",
  INVALID_ARGUMENT: "invalid_request",
  FAILED_PRECONDITION: "invalid_request",
  OUT_OF_RANGE: "invalid_request",
  NOT_FOUND: "invalid_request",
  UNIMPLEMENTED: "invalid_request",
};

/** Sentence the vendor uses for every limit, even one per minute. */
const anyQuota = /you exceeded your current quota, please check your plan and billing details/i;
const wrongKey = /api key (not valid|expired|not found)/i;

export function toError(failure: VendorFailure, target: Target): ProviderError {
  const error = errorIn(failure.body);
  const status = textAt(error, "status");
  const said = textAt(error, "message");
  const isWrongKey = said !== undefined && wrongKey.test(said);
  const known = status !== undefined && Object.hasOwn(codes, status) ? codes[status] : undefined;
  return toProviderError(failure, target, {
    code: isWrongKey ? "auth" : known,
    status: statusIn(error),
    isSpent: said !== undefined && isSpentQuota(said.replace(anyQuota, "")),
    retryable: isOfTheDay(error) ? false : undefined,
    message: said === undefined || status === undefined ? said : `${status}: ${said}`,
    retryAfterMs: retryAfter(error),
  });
}

/** In response to a stream request, an error may come as a list of one. */
function errorIn(body: JsonValue | undefined): JsonObject {
  const whole = Array.isArray(body) ? listOf(body)[0] : body;
  if (!isObject(whole)) return {};
  return isObject(whole["error"]) ? whole["error"] : whole;
}

/** Whether a daily quota is used up; the vendor suggests waiting seconds as for any other quota. */
function isOfTheDay(error: JsonObject): boolean {
  return listOf(error["details"])
    .flatMap((detail) => (isObject(detail) ? listOf(detail["violations"]) : []))
    .some((violation) => isObject(violation) && /PerDay/.test(textAt(violation, "quotaId") ?? ""));
}

/** Reads `{ retryDelay: "36s" }` from the details. */
function retryAfter(error: JsonObject): number | undefined {
  for (const detail of listOf(error["details"])) {
    const delay = isObject(detail) ? textAt(detail, "retryDelay") : undefined;
    const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1]);
    if (Number.isFinite(seconds)) return Math.ceil(seconds * 1_000);
  }
  return undefined;
}

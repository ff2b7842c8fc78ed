/** Converts errors of OpenAI and compatible servers: from responses, from events, and from responses that failed. */
import type { ProviderError, ProviderErrorCode } from "@capstan/kernel";
import type { Target, VendorFailure } from "../wire/protocol.ts";
import { statusIn, toProviderError } from "../transport/http-errors.ts";
import type { JsonObject } from "../wire/wire-json.ts";
import { isObject, textAt } from "../wire/wire-json.ts";

/** By the vendor's code or type, which a stream has instead of a status. For others the status decides. */
const codes: Readonly<Record<string, ProviderErrorCode>> = {
  invalid_api_key: "auth",
  incorrect_api_key: "auth",
  authentication_error: "auth",
  insufficient_quota: "auth",
  billing_hard_limit_reached: "auth",
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  too_many_requests: "rate_limit",
  rate_limited: "rate_limit",
  server_error: "overloaded",
  internal_error: "overloaded",
  internal_server_error: "overloaded",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  service_unavailable: "overloaded",
  service_unavailable_error: "overloaded",
  service_tier_capacity_exceeded: "overloaded",
  unreachable_backend: "overloaded",
  vector_store_timeout: "overloaded",
  context_length_exceeded: "context_overflow",
  string_above_max_length: "context_overflow",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  image_content_policy_violation: "content_filter",
  invalid_prompt: "content_filter",
  cyber_policy: "content_filter",
  bio_policy: "content_filter",
  invalid_request_error: "invalid_request",
  model_not_found: "invalid_request",
};

/** Compatible servers report in words what others have a code for. */
const wrongKey = /incorrect api key|invalid api key|api key not valid/i;
/** Google uses this for every limit, even one per minute. */
const spentQuota = /exceeded your current quota/i;

export function toError(failure: VendorFailure, target: Target): ProviderError {
  const error = errorIn(failure.body);
  const code = textAt(error, "code");
  const type = textAt(error, "type");
  const said = textAt(error, "message");
  const param = textAt(error, "param");
  const requestId = failure.headers?.get("x-request-id") ?? undefined;
  const [known] = [code, type]
    .filter((word) => word !== undefined)
    .flatMap((word) => (Object.hasOwn(codes, word) ? (codes[word] ?? []) : []));
  const isLocked = said !== undefined && (wrongKey.test(said) || spentQuota.test(said));
  return toProviderError(failure, target, {
    code: isLocked ? "auth" : isFlagged(error) ? "content_filter" : known,
    status: statusIn(error),
    message: describe(code ?? type, withSource(said, error), param, requestId),
  });
}

/** Finds the error in `{ error: { … } }`, `{ error: "…" }`, the body of an `error` event, or a proxy's body. */
function errorIn(body: VendorFailure["body"]): JsonObject {
  if (!isObject(body)) return {};
  const { error } = body;
  if (isObject(error)) return error;
  return typeof error === "string" ? { ...body, message: error } : body;
}

/** Whether a router's host refused the content; the status is that of a wrong key. */
function isFlagged({ metadata = null }: JsonObject): boolean {
  return isObject(metadata) && typeof metadata["flagged_input"] === "string";
}

/** Adds the message of the host that a router asked. */
function withSource(said: string | undefined, { metadata = null }: JsonObject): string | undefined {
  if (!isObject(metadata)) return said;
  const { raw = null } = metadata;
  const source = textAt(metadata, "provider_name");
  const words = typeof raw === "string" || raw === null ? (raw ?? "") : JSON.stringify(raw);
  const told = [source, words].filter((one) => one !== undefined && one !== "").join(": ");
  if (told === "" || said?.includes(told) === true) return said;
  return said === undefined ? told : `${said} (${told})`;
}

function describe(
  word: string | undefined,
  said: string | undefined,
  param: string | undefined,
  requestId: string | undefined,
): string | undefined {
  if (said === undefined) return undefined;
  const where = param === undefined || said.includes(param) ? "" : ` (${param})`;
  const request = requestId === undefined ? "" : ` (request ${requestId})`;
  return `${word === undefined ? "" : `${word}: `}${said}${where}${request}`;
}

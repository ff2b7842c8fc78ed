/** Converts the vendor's errors, from responses and from within streams. */
import type { ProviderError, ProviderErrorCode } from "@capstan/kernel";
import type { Target, VendorFailure } from "../../wire/protocol.ts";
import { statusIn, toProviderError } from "../../transport/http-errors.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** By the vendor's error type, which a stream has instead of a status. For other types the status decides. */
const codes: Readonly<Record<string, ProviderErrorCode>> = {
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "auth",
  rate_limit_error: "rate_limit",
  overloaded_error: "overloaded",
  api_error: "overloaded",
  timeout_error: "overloaded",
  invalid_request_error: "invalid_request",
  not_found_error: "invalid_request",
  // Too many bytes. As with too many tokens, only a smaller context helps.
  request_too_large: "context_overflow",
};

/** Messages for a context overflow that only this vendor uses. */
const overflow =
  /input length and `?max_tokens`? exceed context limit|exceeds? the (model's )?context window/i;

export function toError(failure: VendorFailure, target: Target): ProviderError {
  const { body, headers } = failure;
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  const type = textAt(error, "type");
  const said = textAt(error, "message");
  const requestId = (isObject(body) ? body["request_id"] : undefined) ?? headers?.get("request-id");
  const stated = type !== undefined && Object.hasOwn(codes, type) ? codes[type] : undefined;
  const isOverflow = stated === "invalid_request" && said !== undefined && overflow.test(said);
  return toProviderError(failure, target, {
    code: isOverflow ? "context_overflow" : stated,
    status: statusIn(error),
    message: describe(type, said, requestId),
  });
}

function describe(
  type: string | undefined,
  said: string | undefined,
  requestId: unknown,
): string | undefined {
  if (type === undefined && said === undefined) return undefined;
  const words = [type, said].filter((word) => word !== undefined).join(": ");
  return typeof requestId === "string" ? `${words} (request ${requestId})` : words;
}

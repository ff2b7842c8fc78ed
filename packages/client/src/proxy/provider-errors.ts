/** Refusals of a server as errors of a provider. */
import type { ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { ClientError } from "../errors/client-error.ts";

/** `isKnown`: the server has had the request, so that a `not_found` means its reply. */
export function toProviderError(failure: ClientError, isKnown: boolean): ProviderError {
  const { message, status, retryAfterMs } = failure;
  const isLost = isKnown && lostCodes.includes(failure.code);
  return new ProviderError(isLost ? "network" : codeOf(failure), message, {
    status,
    // A spent budget comes back, but not soon.
    retryable: isLost || failure.isPassing,
    ...(retryAfterMs > 0 && { retryAfterMs }),
    cause: failure,
  });
}

function codeOf({ code, status = 0 }: ClientError): ProviderErrorCode {
  if (code === "unreachable") return "network";
  if (code === "protocol") return "protocol";
  if (status === 401 || status === 403) return "auth";
  if (status === 402 || status === 429) return "rate_limit";
  return status >= 500 ? "overloaded" : "invalid_request";
}

/** The server no longer has the reply, or its next frames: another attempt may get it. */
const lostCodes: readonly string[] = ["not_found", "cursor_expired", "cursor_ahead"];

/** Errors that clients of an MCP server get, in the form of the protocol. */
import { isCapstanError } from "@capstan/core";

export type ServingErrorCode =
  /** Parameters, a session, a task or a `requestState` that this client cannot use. */
  | "invalid_params"
  /** The client has not declared a capability that the request needs. */
  | "missing_capability"
  /** The client is over one of its limits. */
  | "too_many"
  /** Anything else: the reason is reported to `onError`. */
  | "internal";

const wireCodes: Readonly<Record<ServingErrorCode, number>> = {
  invalid_params: -32_602,
  missing_capability: -32_021,
  too_many: -32_000,
  internal: -32_603,
};

/** The SDK sends `code`, `message` and `data` to the client. */
export class ServingError extends Error {
  override readonly name = "ServingError";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    reason: ServingErrorCode,
    message: string,
    { data, ...options }: ErrorOptions & { readonly data?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options);
    this.code = wireCodes[reason];
    this.data = data ?? { reason };
  }
}

export function invalidParams(message: string, options: ErrorOptions = {}): ServingError {
  return new ServingError("invalid_params", message, options);
}

/** One message for every reason: a client must not learn which part of a forged state was right. */
export function invalidState(): ServingError {
  const data = { reason: "invalid_request_state" };
  return new ServingError("invalid_params", "Invalid or expired requestState", { data });
}

/** Likewise for a session that is unknown and one that belongs to another principal. */
export function unknownSession(): ServingError {
  return invalidParams("Unknown session: omit `session` to start a new one");
}

export function unknownTask(): ServingError {
  return invalidParams("Unknown task");
}

/** Codes of a session's errors whose message is meant for the client. */
const forClients = new Set(["invalid_input", "turn_unfinished", "calls_pending", "not_sent"]);

/** Messages of stores and vendors stay here, unless the client is the operator. */
export function toServingError(thrown: unknown, hasDetails: boolean): ServingError {
  if (thrown instanceof ServingError) return thrown;
  if (isCapstanError(thrown) && forClients.has(thrown.code)) {
    return invalidParams(thrown.message, { cause: thrown });
  }
  const detail = hasDetails && thrown instanceof Error ? `: ${thrown.message}` : "";
  return new ServingError("internal", `Internal error${detail}`, { cause: thrown });
}

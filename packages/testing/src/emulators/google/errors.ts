/** Error messages of Google's services. */
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { Failures, VendorFailures } from "../scripted-failure.ts";

const invalidArgument = "INVALID_ARGUMENT";

/** Names of HTTP statuses. */
const statuses: Readonly<Record<number, string>> = {
  400: invalidArgument,
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export function errorBody({ status, message, details }: Refusal): JsonObject {
  const named = statuses[status] ?? "UNKNOWN";
  return {
    error: {
      code: status,
      message,
      status: named,
      ...(details.length > 0 && { details }),
    },
  };
}

export function invalid(message: string, details: readonly JsonObject[] = []): Refusal {
  return new Refusal(message, { type: invalidArgument, details });
}

/** Refusal of an invalid request field. */
export function invalidField(field: string, fault: string): Refusal {
  return invalid(`* GenerateContentRequest.${field}: ${fault}\n`);
}

export function notFound(message = "Requested entity was not found."): Refusal {
  return new Refusal(message, { status: 404, type: "NOT_FOUND" });
}

const keyDetail: JsonObject = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "API_KEY_INVALID",
  domain: "googleapis.com",
  metadata: { service: "generativelanguage.googleapis.com" },
};

/** A wrong key has no separate kind of error here. */
export function wrongKey(): Refusal {
  return invalid("API key not valid. Please pass a valid API key.", [keyDetail]);
}

export function noKey(): Refusal {
  return new Refusal(
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    { status: 403, type: "PERMISSION_DENIED" },
  );
}

export function tooManyTokens(tokens: number, limit: number): Refusal {
  return invalid(
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`,
  );
}

const failures: Failures = {
  auth: { message: wrongKey().message, details: [keyDetail] },
  rate_limit: {
    status: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  overloaded: { status: 503, message: "The model is overloaded. Please try again later." },
  context_overflow: { message: tooManyTokens(1_048_577, 1_048_576).message },
  invalid_request: { message: "Request contains an invalid argument." },
  content_filter: {
    message:
      "The prompt could not be submitted: it contains words that violate the usage guidelines.",
  },
};

export const vendorFailures: VendorFailures = {
  failures,
  internal: { type: "INTERNAL" },
  // There is no header for it.
  retryAfter: (ms, { details = [] }) => ({ details: [...details, retryDetail(ms)] }),
};

function retryDetail(afterMs: number): JsonObject {
  return {
    "@type": "type.googleapis.com/google.rpc.RetryInfo",
    retryDelay: `${Math.ceil(afterMs / 1000)}s`,
  };
}

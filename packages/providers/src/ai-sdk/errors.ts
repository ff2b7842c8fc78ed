/** Converts errors of AI SDK models. They are recognized by shape, because their classes may come from any copy of the SDK. */
import type { ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { TargetOrigin, VendorFailure } from "../wire/protocol.ts";
import { toError } from "../protocols/openai-errors.ts";
import { oneLine } from "../transport/http-errors.ts";
import { toNetworkError } from "../transport/network-errors.ts";
import { parseJson } from "../transport/parse-json.ts";
import type { Fields } from "./fields.ts";
import { isFields, textIn, toJson } from "./fields.ts";
import { targetOf } from "./origin.ts";

const maxFailureChars = 10_000;

/** Codes of errors without a status, by name. */
const codes: Readonly<Record<string, ProviderErrorCode>> = {
  AI_LoadAPIKeyError: "auth",
  AI_LoadSettingError: "auth",
  AI_NoSuchModelError: "invalid_request",
  AI_UnsupportedFunctionalityError: "invalid_request",
  AI_InvalidPromptError: "invalid_request",
  AI_InvalidArgumentError: "invalid_request",
  AI_NoSuchProviderReferenceError: "invalid_request",
  AI_EmptyResponseBodyError: "network",
  AI_NoContentGeneratedError: "network",
  // From the model's own timeout: our own aborts never get here.
  AbortError: "network",
  TimeoutError: "network",
};

/** Converts an error a model threw or sent in its stream. */
export function toProviderError(thrown: unknown, origin: TargetOrigin): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  const fields = isFields(thrown) ? thrown : {};
  const name = textIn(fields, "name") ?? "";
  const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
  if (code !== undefined) return failure(code, thrown, origin);
  if (statusOf(fields) !== undefined) return refused(fields, origin);
  if (fields["isRetryable"] === true || isOfNetwork(thrown)) {
    return toNetworkError(`The request to ${urlOf(fields) ?? origin.provider}`, thrown);
  }
  // Neither a status nor an Error: the vendor's error body as received.
  const isAnswer = isFields(thrown) && !(thrown instanceof Error) && name === "";
  return isAnswer ? refused(fields, origin) : failure("protocol", thrown, origin);
}

/** Error for a vendor's error response. */
function refused(fields: Fields, origin: TargetOrigin): ProviderError {
  const written = textIn(fields, "responseBody") ?? "";
  const said = textIn(fields, "message") ?? "";
  // An Error also holds the whole request.
  const answer = fields instanceof Error ? fields["data"] : fields;
  const headers = headersOf(fields["responseHeaders"]);
  const vendorFailure: VendorFailure = {
    status: statusOf(fields),
    headers,
    body: parseJson(written) ?? toJson(answer),
    text: (written.trim() === "" ? said : written).slice(0, maxFailureChars),
  };
  const error = toError(vendorFailure, targetOf(origin));
  const { code, message, retryAfterMs, status } = error;
  return new ProviderError(code, message, {
    // The model's own package may know that a retry is useless.
    retryable: error.retryable && fields["isRetryable"] !== false,
    retryAfterMs,
    status,
    cause: fields,
  });
}

function failure(
  code: ProviderErrorCode,
  thrown: unknown,
  { provider }: TargetOrigin,
): ProviderError {
  const said = isFields(thrown) ? textIn(thrown, "message") : String(thrown);
  const why = said === undefined || said.trim() === "" ? "it gave no reason" : oneLine(said);
  return new ProviderError(code, `${provider} failed: ${why}`, { cause: thrown });
}

/** Returns undefined unless it is an error status: a stream that breaks midway has the status of its beginning. */
function statusOf(fields: Fields): number | undefined {
  const status = fields["statusCode"] ?? fields["status"];
  return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

function headersOf(headers: unknown): Headers | undefined {
  if (!isFields(headers)) return undefined;
  const texts = Object.entries(headers).filter(([, value]) => typeof value === "string");
  try {
    return new Headers(Object.fromEntries(texts) as Record<string, string>);
  } catch {
    // Invalid header names: nothing to read.
    return undefined;
  }
}

/** URL of the request, without parts that may be secret. */
function urlOf(fields: Fields): string | undefined {
  const url = textIn(fields, "url") ?? "";
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Error codes of the system, of Node's TLS and of Node's fetch. Other Node errors are programming errors. */
const systemCode = /^(E(?!RR_)[A-Z]+|UND_ERR_|ERR_(TLS|SSL)_|CERT_|DEPTH_|SELF_|UNABLE_)/;

/** True for errors below HTTP: `fetch` and Node wrap the cause, sometimes twice. */
function isOfNetwork(thrown: unknown): boolean {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string" && systemCode.test(at.code)) return true;
  }
  return false;
}

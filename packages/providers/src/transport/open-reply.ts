/** Sends a request and classifies the response: events, a complete reply, or a failure. */
import type { JsonValue } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { DispensableField, VendorFailure } from "../wire/protocol.ts";
import { toNetworkError } from "./network-errors.ts";
import { parseJson } from "./parse-json.ts";
import type { PartSource } from "./part-source.ts";
import type { WireFetch } from "./proxied-fetch.ts";
import { readExplanation } from "./read-text.ts";
import { isRefused, rememberRefusal } from "./refused-fields.ts";
import { withRejectedPart } from "./rejected-part.ts";
import type { Secrets } from "./secrets.ts";
import { copyError } from "./secrets.ts";
import { isEventStream, StreamedReply } from "./streamed-reply.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";
import { WholeReply } from "./whole-reply.ts";
import type { WireCall } from "./wire-call.ts";

const maxFailureChars = 10_000;
const failureTimeoutMs = 5_000;

/** Throws a `ProviderError`. An abort looks like a network failure here: the caller, which owns the signal, can tell. */
export async function openReply(
  call: WireCall,
  secrets: Secrets,
  fetch: WireFetch,
  signal: AbortSignal,
): Promise<PartSource> {
  const response = await ask(call, secrets, fetch, signal);
  const kind = kindOf(response, call);
  if (kind === "events") return new StreamedReply(call, response);
  if (kind === "json") return new WholeReply(call, response);
  const text = await readExplanation(response.body, maxFailureChars, failureTimeoutMs);
  throw unexpectedAnswer(call, response, text);
}

/** Repeats the request without a dispensable field that the vendor rejects. Each field is dropped once, so this ends. */
async function ask(
  call: WireCall,
  secrets: Secrets,
  fetch: WireFetch,
  signal: AbortSignal,
): Promise<Response> {
  const { dispensable = [] } = call.wire;
  const left = new Set(dispensable.filter((field) => !isRefused(call, field)));
  for (;;) {
    const response = await send(call, bodyWith(call, left), fetch, signal);
    if (isRedirect(response)) throw redirected(call, response);
    if (response.ok) return response;
    const failure = await readFailure(secrets, response);
    const field = [...left].find((field) => field.isRefusedBy(failure));
    if (field === undefined) throw failed(call, failure);
    rememberRefusal(call, field);
    left.delete(field);
  }
}

/** Returns the body without the dispensable fields that are not in `left`. */
function bodyWith({ wire }: WireCall, left: ReadonlySet<DispensableField>): JsonValue {
  const { body, dispensable = [] } = wire;
  return dispensable.reduce((body, field) => (left.has(field) ? body : field.without(body)), body);
}

async function send(
  call: WireCall,
  json: JsonValue,
  fetch: WireFetch,
  signal: AbortSignal,
): Promise<Response> {
  const { url, headers } = call;
  const body = toBody(json);
  try {
    return await fetch(url, {
      method: "POST",
      headers,
      body,
      signal,
      // A redirect turns a POST into a GET, and sends headers with keys to another host.
      redirect: "manual",
    });
  } catch (thrown) {
    if (thrown instanceof ProviderError) throw thrown;
    throw toNetworkError(`The request to ${call.place}`, thrown);
  }
}

/** A lone surrogate, as a truncated text may end in: vendors reject the whole request for it. */
const halfCharacter = /\\ud[89a-f]/i;

function toBody(json: JsonValue): string {
  const body = JSON.stringify(json);
  // Only lone surrogates are escaped like this; a text that merely mentions one is just serialized twice.
  if (!halfCharacter.test(body)) return body;
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
}

function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function redirected({ vendor, place }: WireCall, response: Response): ProviderError {
  const location = response.headers.get("location") ?? "";
  const to = URL.canParse(location, place) ? new URL(location, place) : undefined;
  const where = to === undefined ? "elsewhere" : `to ${to.origin}${to.pathname}`;
  return new ProviderError(
    "invalid_request",
    `${vendor.name} redirects ${place} ${where}, and redirects are not followed: set the base URL to the final address`,
    { status: response.status },
  );
}

async function readFailure(secrets: Secrets, response: Response): Promise<VendorFailure> {
  const { status, headers, body } = response;
  // Before it is truncated: half a secret would not be recognised.
  const text = secrets.hide(await readExplanation(body, maxFailureChars, failureTimeoutMs));
  return { status, headers, text, body: parseJson(text) };
}

function failed(call: WireCall, failure: VendorFailure): ProviderError {
  const { vendor, target } = call;
  const error = withRejectedPart(vendor.protocol.toError(failure, target), failure, call);
  return copyError(error, { message: `${error.message} (request to ${call.place})` });
}

/** Decides by the content type, or by what was requested if that is unknown. */
function kindOf(response: Response, { target }: WireCall): "events" | "json" | "page" {
  if (isEventStream(response)) return "events";
  const contentType = response.headers.get("content-type")?.toLowerCase() ?? "";
  if (contentType.includes("json")) return "json";
  if (contentType.includes("html")) return "page";
  return target.isStreaming ? "events" : "json";
}

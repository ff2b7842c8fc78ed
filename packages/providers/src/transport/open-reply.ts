/** Sends a request, and finds out what the answer is: events, a whole reply, or a failure. */
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
const failurePatienceMs = 5_000;

/** Throws a `ProviderError`. An abort looks like a failure of the network here: who gave the signal knows better. */
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
  const text = await readExplanation(response.body, maxFailureChars, failurePatienceMs);
  throw unexpectedAnswer(call, response, text);
}

/** Repeats the request without a dispensable field that the vendor refuses. Each field is left out once, so this ends. */
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

/** The body without the dispensable fields that are not among `left`. */
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
      // A redirect makes a GET of a POST, and takes headers with keys to another host.
      redirect: "manual",
    });
  } catch (thrown) {
    if (thrown instanceof ProviderError) throw thrown;
    throw toNetworkError(`The request to ${call.place}`, thrown);
  }
}

/** Half of a character, as a text that was cut may end in: vendors refuse the whole request for it. */
const halfCharacter = /\\ud[89a-f]/i;

function toBody(json: JsonValue): string {
  const body = JSON.stringify(json);
  // Only half characters are escaped so; a text that speaks of them goes the long way for nothing.
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
    `${vendor.name} redirects ${place} ${where}, which is not followed: set the base URL to where it listens`,
    { status: response.status },
  );
}

async function readFailure(secrets: Secrets, response: Response): Promise<VendorFailure> {
  const { status, headers, body } = response;
  // Before it is shortened: half a secret is not recognised any more.
  const text = secrets.hide(await readExplanation(body, maxFailureChars, failurePatienceMs));
  return { status, headers, text, body: parseJson(text) };
}

function failed(call: WireCall, failure: VendorFailure): ProviderError {
  const { vendor, target } = call;
  const error = withRejectedPart(vendor.protocol.toError(failure, target), failure, call);
  return copyError(error, { message: `${error.message} (asked at ${call.place})` });
}

/** By what the answer calls itself; by what was asked for, where it says nothing that is known. */
function kindOf(response: Response, { target }: WireCall): "events" | "json" | "page" {
  if (isEventStream(response)) return "events";
  const contentType = response.headers.get("content-type")?.toLowerCase() ?? "";
  if (contentType.includes("json")) return "json";
  if (contentType.includes("html")) return "page";
  return target.isStreaming ? "events" : "json";
}

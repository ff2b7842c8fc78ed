/** Prepares a request: its URL, headers and body. */
import type { ChatMessage, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { Target, WireRequest } from "../wire/protocol.ts";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import { findApiKey } from "./api-key.ts";
import { version } from "../wire/version.ts";
import { environment, hasProcess } from "./environment.ts";

/** All facts about an encoded request. */
export interface WireCall {
  readonly vendor: Vendor;
  readonly target: Target;
  readonly wire: WireRequest;
  readonly url: string;
  /** The URL without secrets, for messages. */
  readonly place: string;
  readonly headers: Headers;
  /** Messages that the request was encoded from. */
  messages(): readonly ChatMessage[];
}

/** Encodes the request. Throws a `ProviderError` if anything is missing. */
export function prepareCall(
  vendor: Vendor,
  options: ProviderOptions,
  request: ProviderRequest,
): WireCall {
  const { model } = request.options;
  if (model === undefined || model === "") {
    throw new ProviderError(
      "invalid_request",
      `No model for ${vendor.name}: set \`model\` in the request options`,
    );
  }
  const baseUrl = parseBaseUrl(vendor, baseUrlOf(vendor, options));
  const target: Target = {
    origin: { provider: vendor.id, api: vendor.protocol.id, model, host: baseUrl.host },
    quirks: vendor.quirks,
    isStreaming: options.stream ?? true,
    attempt: request.attempt,
    contextWindow: request.options.modelFacts?.contextWindow,
  };
  const wire = vendor.protocol.encode(request, target);
  const url = joinUrl(baseUrl, wire.path);
  return {
    vendor,
    target,
    wire,
    url: url.href,
    place: url.origin + url.pathname,
    headers: headersOf(vendor, options, request, target, wire),
    messages: () => request.messages,
  };
}

/** Prepares a metadata request. A `path` with `..` leaves the base URL's version. Throws as `prepareCall` does. */
export function prepareQuestion(
  vendor: Vendor,
  options: ProviderOptions,
  { path, apiKey }: { readonly path: string; readonly apiKey: string | undefined },
): Pick<WireCall, "url" | "headers"> {
  const baseUrl = parseBaseUrl(vendor, baseUrlOf(vendor, options));
  const asked = { options: apiKey === undefined ? {} : { apiKey } };
  const headers = headersOf(vendor, options, asked, { isStreaming: false }, {});
  if (path.startsWith("../")) {
    baseUrl.pathname = baseUrl.pathname.replace(/\/+$/, "").replace(endingVersion, "");
    return { url: joinUrl(baseUrl, path.slice(2)).href, headers };
  }
  return { url: joinUrl(baseUrl, path).href, headers };
}

function baseUrlOf(vendor: Vendor, { baseUrl }: ProviderOptions): string {
  const { baseUrlVariable: variable } = vendor;
  const found = baseUrl ?? (variable && environment()[variable]?.trim());
  const chosen = found === undefined || found === "" ? vendor.baseUrl : found;
  if (chosen !== "" || variable === undefined) return chosen;
  throw new ProviderError(
    "invalid_request",
    `No base URL for ${vendor.name}: set ${variable}, or pass \`baseUrl\``,
  );
}

function parseBaseUrl(vendor: Vendor, baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ProviderError(
      "invalid_request",
      `The base URL for ${vendor.name} is not an http or https URL: "${baseUrl}"`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ProviderError(
      "invalid_request",
      `The base URL for ${vendor.name} contains a user or a password, which fetch does not accept: pass them in an authorization header`,
    );
  }
  // A host alone means the vendor's API there, with the same path as the vendor's own URL.
  if (url.pathname === "/" && URL.canParse(vendor.baseUrl)) {
    url.pathname = new URL(vendor.baseUrl).pathname;
  }
  return url;
}

/** A version at the end of a base URL, and one at the start of a path. */
const endingVersion = /\/v\d+[a-z0-9]*$/;
const leadingVersion = /^\/v\d+[a-z0-9]*(?=\/)/;

/** A base URL may end in a slash, and may have its own query. Its version replaces the path's. */
function joinUrl(baseUrl: URL, path: string): URL {
  const url = new URL(baseUrl);
  const [pathname = "", query] = path.split("?", 2);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname =
    base + (endingVersion.test(base) ? pathname.replace(leadingVersion, "") : pathname);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value);
  return url;
}

/**
 * Later headers replace earlier ones of the same name, except for list headers, which are joined. If a header for the key is given,
 * no key is needed.
 */
function headersOf(
  vendor: Vendor,
  options: ProviderOptions,
  request: Pick<ProviderRequest, "options">,
  { isStreaming }: Pick<Target, "isStreaming">,
  wire: Pick<WireRequest, "headers">,
): Headers {
  const headers = new Headers({
    "content-type": "application/json",
    accept: isStreaming ? "text/event-stream, application/json" : "application/json",
    ...(hasProcess() && { "user-agent": `capstan/${version}` }),
  });
  for (const source of [vendor.headers, wire.headers, options.headers, request.options.headers]) {
    for (const [name, value] of Object.entries(source ?? {})) {
      const isList = vendor.quirks.listHeader === name.toLowerCase();
      const before = isList ? headers.get(name) : null;
      setHeader(vendor, headers, name, before === null ? value : `${before},${value}`);
    }
  }
  const { keyHeader } = vendor.quirks;
  if (headers.has(keyHeader ?? "authorization")) return headers;
  const key = findApiKey(vendor, options, request);
  if (key === undefined) return headers;
  if (keyHeader === undefined) headers.set("authorization", `Bearer ${key}`);
  else headers.set(keyHeader, key);
  return headers;
}

function setHeader(vendor: Vendor, headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // Not quoted: the error shows the value, which may be a secret.
    throw new ProviderError(
      "invalid_request",
      `The header "${name}" for ${vendor.name} is invalid: its name or value contains a character that HTTP does not allow`,
    );
  }
}

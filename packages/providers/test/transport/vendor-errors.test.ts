/** The words that vendors have for their errors, each as an answer with a status and inside a stream. */
import type { JsonValue, ProviderError, ProviderErrorCode } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { vendorRows } from "../../src/vendors.ts";

const retried: readonly ProviderErrorCode[] = ["rate_limit", "overloaded", "network"];

const rows: readonly [string, JsonValue, ProviderErrorCode][] = [
  ["anthropic", { type: "authentication_error", message: "No." }, "auth"],
  ["anthropic", { type: "overloaded_error", message: "Overloaded" }, "overloaded"],
  ["anthropic", { type: "request_too_large", message: "No." }, "context_overflow"],
  ["openai", { code: "invalid_api_key", message: "No." }, "auth"],
  ["openai", { code: "insufficient_quota", message: "No." }, "auth"],
  ["openai", { code: "billing_hard_limit_reached", message: "No." }, "auth"],
  ["openai", { code: "rate_limit_exceeded", message: "Slow down" }, "rate_limit"],
  ["openai", { code: "server_is_overloaded", message: "Later" }, "overloaded"],
  ["azure", { code: "content_filter", message: "No." }, "content_filter"],
  ["openai", { code: "content_policy_violation", message: "No." }, "content_filter"],
  ["openai", { code: "invalid_prompt", message: "No." }, "content_filter"],
  ["openai", { code: "context_length_exceeded", message: "No." }, "context_overflow"],
  ["xai", { message: "Incorrect API key provided" }, "auth"],
  ["mistral", { type: "rate_limited", message: "No." }, "rate_limit"],
  ["mistral", { type: "unreachable_backend", message: "No." }, "overloaded"],
  ["mistral", { type: "service_tier_capacity_exceeded", message: "No." }, "overloaded"],
  ["groq", { code: "invalid_api_key", message: "Invalid API Key" }, "auth"],
  ["google", { status: "UNAUTHENTICATED", message: "No." }, "auth"],
  ["google", { status: "INVALID_ARGUMENT", message: "API key not valid." }, "auth"],
  ["google", { status: "UNAVAILABLE", message: "Overloaded" }, "overloaded"],
  ["google", { status: "CANCELLED", message: "Gone" }, "network"],
  ["google", { status: "INVALID_ARGUMENT", message: "No." }, "invalid_request"],
];

describe.each(["as an answer", "inside a stream"])("%s", (where) => {
  const status = where === "as an answer" ? 400 : undefined;

  test.each(rows)("%s says %j, which is %s", (id, error, code) => {
    expect(errorOf(id, status, error)).toMatchObject({ code, retryable: retried.includes(code) });
  });
});

function errorOf(id: string, status: number | undefined, error: JsonValue): ProviderError {
  const vendor = vendorRows.find((row) => row.id === id);
  if (vendor === undefined) throw new Error(`There is no ${id}`);
  const { protocol, quirks } = vendor;
  const origin = { provider: id, api: protocol.id, model: "m" };
  const body = { type: "error", error };
  const failure = { status, body, text: JSON.stringify(body) };
  return protocol.toError(failure, { origin, quirks, isStreaming: true });
}

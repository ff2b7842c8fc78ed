import type { JsonValue, ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import { vendorRows } from "../../src/vendors.ts";

const plan = "You exceeded your current quota, please check your plan and billing details.";
const day = { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] };
const minute = { violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] };
const wait = { retryDelay: "36s" };

test.each<[string, number, JsonValue]>([
  ["openai", 429, { message: plan, type: "insufficient_quota", code: "insufficient_quota" }],
  ["openai", 429, { message: "You exceeded your current quota" }],
  ["azure", 429, { message: plan }],
  ["llamacpp", 429, { message: plan }],
  ["anthropic", 400, { type: "invalid_request_error", message: "Your credit balance is too low" }],
  ["anthropic", 429, { type: "rate_limit_error", message: "You have reached your monthly limit" }],
  [
    "google",
    429,
    { status: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted." },
  ],
  ["deepseek", 400, { message: "Insufficient Balance" }],
  ["openrouter", 429, { code: 429, message: "Insufficient credits. Add more" }],
  ["openrouter", 429, { code: 429, message: "Provider error", metadata: { raw: plan } }],
  ["xai", 429, { message: "Your team has used all available credits" }],
  ["mistral", 429, { message: "Monthly usage limit exceeded" }],
  ["groq", 429, { message: "Your organization has hit its spending cap" }],
  ["llamacpp", 429, { message: "The balance is exhausted" }],
  ["llamacpp", 400, { code: "Arrearage", message: "Access denied" }],
  ["groq", 503, { message: "Blocked: the billing hard limit is reached" }],
])("%s says with %i that nothing is left to pay with: %j", (id, status, error) => {
  expect(errorOf(id, status, error)).toMatchObject({ code: "auth", retryable: false, status });
});

test.each<[string, JsonValue]>([
  ["openai", { message: "Rate limit reached for gpt-5.5 on tokens per min (TPM)" }],
  [
    "anthropic",
    { type: "rate_limit_error", message: "Number of requests has exceeded your limit" },
  ],
  ["google", { status: "RESOURCE_EXHAUSTED", message: plan }],
  ["google", { status: "RESOURCE_EXHAUSTED", message: plan, details: [minute, wait] }],
  ["mistral", { message: "Requests rate limit exceeded", type: "rate_limited", code: "1300" }],
])("%s has a limit by the minute, which is waited for: %j", (id, error) => {
  expect(errorOf(id, 429, error)).toMatchObject({ code: "rate_limit", retryable: true });
});

test("a quota of the day is not waited for, though the vendor names seconds", () => {
  const error = errorOf("google", 429, {
    status: "RESOURCE_EXHAUSTED",
    message: plan,
    details: [day, wait],
  });

  expect(error).toMatchObject({ code: "rate_limit", retryable: false, retryAfterMs: 36_000 });
});

test("a limit that the vendor says how long to wait for is one by the minute", () => {
  const headers = new Headers({ "retry-after": "20" });

  const error = errorOf("groq", 429, { message: "Upgrade in your billing account" }, headers);

  expect(error).toMatchObject({ code: "rate_limit", retryable: true, retryAfterMs: 20_000 });
});

function errorOf(id: string, status: number, error: JsonValue, headers?: Headers): ProviderError {
  const vendor = vendorRows.find((row) => row.id === id);
  if (vendor === undefined) throw new Error(`There is no ${id}`);
  const { protocol, quirks } = vendor;
  const origin = { provider: id, api: protocol.id, model: "m" };
  const body = { type: "error", error };
  const failure = { status, headers, body, text: JSON.stringify(body) };
  return protocol.toError(failure, { origin, quirks, isStreaming: true });
}

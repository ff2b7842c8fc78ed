import { ProviderError } from "@capstan/kernel";
import type { ProviderErrorCode, RetryPolicy } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelay } from "../src/reply/backoff.ts";

const overloaded = new ProviderError("overloaded", "busy");
const policy: RetryPolicy = { maxAttempts: 10, baseDelayMs: 100, maxDelayMs: 1_000 };

function askingFor(retryAfterMs: number): ProviderError {
  return new ProviderError("rate_limit", "slow down", { retryAfterMs });
}

test("the delay doubles with each attempt, up to its limit", () => {
  const delays = [1, 2, 3, 4, 5, 6].map((n) => retryDelay(overloaded, n, policy, undefined));

  expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test("without numbers of its own a policy waits from half a second to half a minute", () => {
  const delays = [1, 2, 20].map((n) => retryDelay(overloaded, n, { maxAttempts: 99 }, undefined));

  expect(delays).toEqual([500, 1_000, 30_000]);
});

test("a policy whose numbers are 0 does not wait, and retries no vendor that asks it to", () => {
  const none = { maxAttempts: 99, maxRetryAfterMs: 0 };

  expect(retryDelay(overloaded, 3, { ...none, baseDelayMs: 0 }, undefined)).toBe(0);
  expect(retryDelay(overloaded, 3, { ...none, maxDelayMs: 0 }, undefined)).toBe(0);
  expect(retryDelay(askingFor(1), 3, none, undefined)).toBeUndefined();
});

test("jitter lies in the upper half", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      const delay = retryDelay(overloaded, 2, policy, () => random);

      expect(delay).toBeGreaterThanOrEqual(100);
      expect(delay).toBeLessThanOrEqual(200);
    }),
  );
});

test("jitter spreads over the whole half", () => {
  const delays = [0, 0.5, 0.999].map((random) => retryDelay(overloaded, 2, policy, () => random));

  expect(delays).toEqual([100, 150, 200]);
});

test("there is no attempt after the last", () => {
  const delays = [1, 2, 3].map((n) => retryDelay(overloaded, n, { maxAttempts: 2 }, undefined));

  expect(delays).toEqual([500, undefined, undefined]);
});

test("without a policy there is no second attempt", () => {
  expect(retryDelay(overloaded, 1, undefined, undefined)).toBeUndefined();
});

test.each<readonly [ProviderErrorCode, boolean]>([
  ["rate_limit", true],
  ["overloaded", true],
  ["network", true],
  ["auth", false],
  ["context_overflow", false],
  ["invalid_request", false],
  ["content_filter", false],
  ["protocol", false],
])("whether %s is tried again by default: %s", (code, isRetried) => {
  const delay = retryDelay(new ProviderError(code, "failed"), 1, policy, undefined);

  expect(delay !== undefined).toBe(isRetried);
});

test("an error that says itself whether it can be tried again is believed", () => {
  const hopeful = new ProviderError("protocol", "failed", { retryable: true });
  const hopeless = new ProviderError("network", "failed", { retryable: false });

  expect(retryDelay(hopeful, 1, policy, undefined)).toBe(100);
  expect(retryDelay(hopeless, 1, policy, undefined)).toBeUndefined();
});

test.each([new TypeError("a bug"), "a string", undefined, null, { retryable: "yes" }])(
  "what is not known to be worth it is not tried again: %s",
  (thrown) => {
    expect(retryDelay(thrown, 1, policy, undefined)).toBeUndefined();
  },
);

test("an error of another copy of this package is known by its shape", () => {
  const foreign = Object.assign(new Error("busy"), { retryable: true, retryAfterMs: 700 });

  expect(retryDelay(foreign, 1, policy, undefined)).toBe(700);
});

test("the vendor is never asked again sooner than it said", () => {
  expect(retryDelay(askingFor(5_000), 1, policy, () => 0)).toBe(5_000);
  expect(retryDelay(askingFor(1), 1, policy, undefined)).toBe(100);
});

test("a vendor that asks for too long a wait is not asked again", () => {
  const patient: RetryPolicy = { ...policy, maxRetryAfterMs: 120_000 };

  expect(retryDelay(askingFor(60_000), 1, policy, undefined)).toBe(60_000);
  expect(retryDelay(askingFor(60_001), 1, policy, undefined)).toBeUndefined();
  expect(retryDelay(askingFor(60_001), 1, patient, undefined)).toBe(60_001);
});

test("no attempt starts later than maxTotalMs after the first failure", () => {
  const limited: RetryPolicy = { ...policy, maxTotalMs: 1_000 };

  expect(retryDelay(askingFor(100), 1, limited, undefined, 900)).toBe(100);
  expect(retryDelay(askingFor(101), 1, limited, undefined, 900)).toBeUndefined();
  expect(retryDelay(askingFor(5_000), 1, policy, undefined, 1e9)).toBe(5_000);
});

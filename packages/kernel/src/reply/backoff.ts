/** Decides whether a failed attempt is retried, and after which delay. */
import type { RetryPolicy } from "../contracts/loop.ts";
import { fieldOf } from "../errors/errors.ts";

/**
 * Milliseconds to wait before the next attempt, or undefined if there is none. Exponential, with a random upper half, never shorter
 * than the vendor asked for.
 */
export function retryDelay(
  thrown: unknown,
  attempt: number,
  policy: RetryPolicy | undefined,
  random: (() => number) | undefined,
  /** Time since the first failure of the step. */
  elapsedMs = 0,
): number | undefined {
  if (policy === undefined || attempt >= policy.maxAttempts || !isRetryable(thrown))
    return undefined;
  const asked = retryAfterOf(thrown);
  if (asked > (policy.maxRetryAfterMs ?? 60_000)) return undefined;
  const ceiling = Math.min(
    policy.maxDelayMs ?? 30_000,
    (policy.baseDelayMs ?? 500) * 2 ** (attempt - 1),
  );
  const delay = random === undefined ? ceiling : ceiling / 2 + (ceiling / 2) * random();
  const delayMs = Math.round(Math.max(delay, asked));
  return elapsedMs + delayMs > (policy.maxTotalMs ?? Infinity) ? undefined : delayMs;
}

// Checks the shape: an error may come from another copy of the package.
function isRetryable(thrown: unknown): thrown is object {
  return typeof thrown === "object" && thrown !== null && fieldOf(thrown, "retryable") === true;
}

function retryAfterOf(thrown: object): number {
  const asked = fieldOf(thrown, "retryAfterMs");
  return typeof asked === "number" && asked > 0 ? asked : 0;
}

/** Limits of a chain of turns, checked before each request. */
import type { FinishReason, TurnProgress, Usage } from "@capstan/kernel";

/** Limits of one turn, child sessions included. A turn that uses one up ends with the finish reason `budget-exceeded`. */
export interface Budgets {
  readonly steps?: number;
  /** Input and output together. Usage that a provider did not report is not counted. */
  readonly tokens?: number;
  /** In dollars. Enables `includeCost`. */
  readonly cost?: number;
  readonly timeMs?: number;
}

export interface Spent {
  readonly cost: number | undefined;
  readonly now: number | undefined;
}

/** Returns the reason why no further request may be made, if there is one. */
export function exceeded(
  budgets: Budgets,
  { steps, usage, startedAt }: TurnProgress,
  { cost, now }: Spent,
): FinishReason | undefined {
  const elapsed = now === undefined || startedAt === undefined ? 0 : now - startedAt;
  const isSpent =
    steps >= (budgets.steps ?? Infinity) ||
    tokensOf(usage) >= (budgets.tokens ?? Infinity) ||
    (cost ?? 0) >= (budgets.cost ?? Infinity) ||
    elapsed >= (budgets.timeMs ?? Infinity);
  return isSpent ? "budget-exceeded" : undefined;
}

/** Input and output together. */
export function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}

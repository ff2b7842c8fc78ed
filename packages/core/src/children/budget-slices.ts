/** Budgets over a tree of sessions: what is left for children, and the slices that they get of it. */
import type { BudgetSlice, SessionFold } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { Budgets } from "../agent/budgets.ts";
import { tokensOf } from "../agent/budgets.ts";
import { childToolNames } from "../tools/other-agents.ts";

/** Amounts that are left of the budgets of a session's last chain of turns, and of its own slice, if it is a child. Absent fields have no limit. */
export function leftOf(fold: SessionFold, { budgets }: Agent, now: number): BudgetSlice {
  return smaller(leftOfOwn(fold, budgets, now), leftOfSlice(fold, now));
}

function leftOfOwn(
  { turn, children }: SessionFold,
  budgets: Budgets | undefined,
  now: number,
): BudgetSlice {
  if (budgets === undefined || turn === undefined) return {};
  const { usage, startedAt = now } = turn.prior(false);
  const used = { tokens: tokensOf(usage), cost: turn.chainCost ?? 0 };
  return minus(budgets, used, children.reservedIn(turn.rootId), now - startedAt);
}

/** Amounts that are left of the slice of the task that a child session works on. */
export function leftOfSlice(fold: SessionFold, now: number): BudgetSlice {
  const call = fold.turn?.origin.call;
  const task = call === undefined ? undefined : fold.tasks.budgetFor(call);
  if (call === undefined || task === undefined) return {};
  const { usage, cost = 0 } = fold.tasks.spentFor(call);
  const used = { tokens: tokensOf(usage), cost };
  return minus(task.budget, used, fold.children.reservedFor(call), now - task.startedAt);
}

/** Whether nothing of a limited amount is left. */
export function isUsedUp({ tokens = 1, cost = 1, timeMs = 1 }: BudgetSlice): boolean {
  return tokens <= 0 || cost <= 0 || timeMs <= 0;
}

/**
 * Slice for a child that is about to start: an equal share of what is left, one for each call of this step that a child has yet to work on, and one
 * for the session itself; all of the time; and no more than the child's agent allows itself. Undefined if there is no limit.
 */
export function sliceFor(
  fold: SessionFold,
  agent: Agent,
  child: Pick<Agent, "budgets">,
  now: number,
): BudgetSlice | undefined {
  const { tokens, cost, timeMs } = leftOf(fold, agent, now);
  if (tokens === undefined && cost === undefined && timeMs === undefined) return undefined;
  const names = childToolNames(agent.tools);
  const toStart = fold.running.filter(
    ({ toolCallId, toolName }) =>
      names.has(toolName) && fold.children.find(toolCallId) === undefined,
  );
  const shares = Math.max(1, toStart.length) + 1;
  const slice: BudgetSlice = {
    ...(tokens !== undefined && { tokens: Math.floor(tokens / shares) }),
    ...(cost !== undefined && { cost: cost / shares }),
    ...(timeMs !== undefined && { timeMs }),
  };
  const limited = Object.keys(slice);
  const least = smaller(slice, child.budgets ?? {});
  return Object.fromEntries(Object.entries(least).filter(([name]) => limited.includes(name)));
}

function minus(
  { tokens, cost, timeMs }: BudgetSlice,
  used: Required<Pick<BudgetSlice, "tokens" | "cost">>,
  reserved: Required<Pick<BudgetSlice, "tokens" | "cost">>,
  elapsedMs: number,
): BudgetSlice {
  return {
    ...(tokens !== undefined && { tokens: tokens - used.tokens - reserved.tokens }),
    ...(cost !== undefined && { cost: cost - used.cost - reserved.cost }),
    ...(timeMs !== undefined && { timeMs: timeMs - elapsedMs }),
  };
}

function smaller(one: BudgetSlice, other: BudgetSlice): BudgetSlice {
  const least = (name: keyof BudgetSlice): BudgetSlice => {
    const value = Math.min(one[name] ?? Infinity, other[name] ?? Infinity);
    return value === Infinity ? {} : { [name]: value };
  };
  return { ...least("tokens"), ...least("cost"), ...least("timeMs") };
}

/** Counts usage once for everything that it belongs to: the session, the turn, and the task of a child session. */
import type { Spent } from "./child-state.ts";
import type { Uncounted } from "./family-fold.ts";
import type { TaskFold } from "./task-fold.ts";
import type { TurnFold } from "./turn-fold.ts";
import type { UsageFold } from "./usage-fold.ts";

interface Counted {
  readonly usage: UsageFold;
  readonly tasks: TaskFold;
  readonly turn: TurnFold | undefined;
}

/** Counts an attempt. `of` says where usage of a child belongs that the running turn may not have started. */
export function countUsage(
  { usage: total, tasks, turn }: Counted,
  entry: Parameters<UsageFold["add"]>[0],
  of?: Uncounted,
): void {
  const { call, chainId } = of ?? { call: turn?.origin.call, chainId: turn?.rootId };
  const usage = total.add(entry);
  // A child in the background may end in a later chain, which has budgets of its own.
  if (chainId === turn?.rootId) turn?.count(usage, entry.cost);
  if (call !== undefined) tasks.count(call, usage, entry.cost);
}

/** Counts what a tool spent on its own model calls. */
export function countUsageOfTool(counted: Counted, { usage, cost }: Partial<Spent>): void {
  if (usage === undefined && cost === undefined) return;
  countUsage(counted, { usage: usage ?? {}, ...(cost !== undefined && { cost }) });
}

/** Counts what a child leaves uncounted. */
export function countUsageOfChild(counted: Counted, spent: Uncounted | undefined): void {
  if (spent !== undefined) countUsage(counted, spent, spent);
}

/** Answers of a session to children that have used up their slices of its budgets. */
import type { BudgetSlice, Child } from "@capstan/log";
import { leftOf } from "./budget-slices.ts";
import { postTo } from "./child-posts.ts";
import type { ParentSession } from "./start-child.ts";

/** Records the answer, unless it is recorded, and tells the child. A repeated answer has no further effect. */
export async function answerAsking(
  parent: ParentSession,
  toolCallId: string,
  turnId: string,
): Promise<void> {
  const { host, log, append } = parent;
  const child = log.fold.children.find(toolCallId);
  if (child?.lastReport?.type !== "asking") return;
  const { childId, childSeq } = child;
  if (child.isAsking) {
    const answer = answerTo(parent, child);
    await append([{ type: "child_granted", turnId, toolCallId, childId, childSeq, ...answer }]);
  }
  const { granted } = log.fold.children.find(toolCallId) ?? {};
  if (granted === undefined) return;
  const { budget, isRefused, childSeq: seq } = granted;
  const body = {
    type: "budget_granted",
    call: toolCallId,
    childSeq: seq,
    budget,
    ...(isRefused !== undefined && { isRefused }),
  } as const;
  const postedSeq = await postTo(host, childId, `${childId}-${seq}-granted`, body);
  if (postedSeq !== undefined) host.lookForWork(childId, postedSeq);
}

interface Answer {
  readonly budget: BudgetSlice;
  readonly isRefused?: true;
}

/** Half of what is left on top of what the child has used. Only the chain that started it has something for it. */
function answerTo({ log, host }: ParentSession, child: Child): Answer {
  const { fold } = log;
  const { reserved } = child;
  const isOfChain = fold.turn?.rootId === child.chainId;
  const left = isOfChain ? leftOf(fold, host.agent(fold.agent), log.now()) : none;
  const more: BudgetSlice = {
    ...(reserved.tokens !== undefined && { tokens: Math.ceil((left.tokens ?? 0) / 2) }),
    ...(reserved.cost !== undefined && { cost: (left.cost ?? 0) / 2 }),
  };
  const { tokens = 1, cost = 1 } = more;
  const { timeMs = 1 } = left;
  if (tokens < 1 || cost <= 0 || timeMs <= 0 || !isOpenCall(child)) {
    return { budget: reserved, isRefused: true };
  }
  return {
    budget: {
      ...(reserved.tokens !== undefined && { tokens: reserved.tokens + tokens }),
      ...(reserved.cost !== undefined && { cost: reserved.cost + cost }),
    },
  };
}

const none: BudgetSlice = {};

/** Whether the result of the child is still wanted. */
function isOpenCall(child: Child): boolean {
  return child.isBackground ? child.isOpenInBackground : !child.isCallOver;
}

/** What the facts of a turn cost: its attempts at the price of its model, its tools what they say. */
import type { Fact } from "@capstan/kernel";
import type { TurnPlan } from "../agent/turn-plan.ts";

/** Undefined where it costs nothing by itself, and where cost is not wanted or not known. */
export function costOfFact(fact: Fact, plan: TurnPlan): number | undefined {
  switch (fact.type) {
    case "attempt_ended":
      return plan.cost(fact.usage, fact.model);
    case "tool_result":
      return plan.hasCost ? fact.cost : undefined;
    default:
      return undefined;
  }
}

/** The sum of what is known; undefined if nothing is. */
export function addCost(sum: number | undefined, cost: number | undefined): number | undefined {
  return cost === undefined ? sum : (sum ?? 0) + cost;
}

/** Cost of a turn's facts: attempts at the price of the model, tools as they report it. */
import type { Fact } from "@capstan/kernel";
import type { TurnPlan } from "../agent/turn-plan.ts";

/** Undefined if the fact has no cost of its own, or if cost is not needed or not known. */
export function costOfFact(fact: Fact, plan: TurnPlan): number | undefined {
  switch (fact.type) {
    case "attempt_ended":
      return plan.cost(fact.usage, fact.model);
    case "tool_result":
    case "nested_result":
    case "suspended":
      return plan.hasCost ? fact.cost : undefined;
    default:
      return undefined;
  }
}

/** Sum of the known costs; undefined if none is known. */
export function addCost(sum: number | undefined, cost: number | undefined): number | undefined {
  return cost === undefined ? sum : (sum ?? 0) + cost;
}

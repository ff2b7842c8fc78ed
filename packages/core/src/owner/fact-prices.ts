/** Prices of the facts of one turn, for their entries, and the sum for the entry that ends the turn. */
import type { Fact } from "@capstan/kernel";
import type { FactPrice } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import { addCost, costOfFact } from "../models/cost-of-fact.ts";
import { nameOf } from "../models/model.ts";

export class FactPrices {
  readonly #plan: TurnPlan;
  readonly #model: string;
  /** Cost of the turn, including the facts about to be recorded. */
  #cost: number | undefined;
  /** Name of the model that was asked last, if there are several. */
  #asked: string | undefined;

  constructor(plan: TurnPlan) {
    this.#plan = plan;
    this.#model = nameOf(plan.model);
  }

  /** Starts an append of these facts. `cost`: that of the turn so far. */
  begin(facts: readonly Fact[], cost: number | undefined): void {
    this.#cost = cost;
    for (const fact of facts) if (fact.type === "attempt") this.#asked = fact.model;
  }

  /** Price of the next fact of the append. The kernel does not know models and prices. */
  priceOf(fact: Fact): FactPrice | undefined {
    const plan = this.#plan;
    const cost = plan.hasCost ? costOfFact(fact, plan) : undefined;
    this.#cost = addCost(this.#cost, cost);
    switch (fact.type) {
      case "attempt_ended": {
        const { model = this.#model } = fact;
        const priceId = plan.hasCost ? plan.modelNamed(fact.model).price?.id : undefined;
        return { model, cost, priceId };
      }
      case "message":
        return fact.message.role === "assistant"
          ? { cost: plan.cost(fact.message.usage, this.#asked) }
          : undefined;
      case "tool_result":
      case "nested_result":
      case "suspended":
        return { cost };
      case "turn_ended":
        return { cost: this.#cost };
      default:
        return undefined;
    }
  }
}

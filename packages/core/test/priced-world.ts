/** A session that costs something, and whether its totals are those of its log. */
import type { AgentInit, ModelPrice, Session } from "@capstan/core";
import type { Usage } from "@capstan/kernel";
import type { EntryOf } from "@capstan/log";
import { addUsage } from "@capstan/kernel";
import { echoTool, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

export const price: ModelPrice = { id: "2026-11", inputPerMillion: 2, outputPerMillion: 10 };
/** Costs 2 at this price. */
export const million: Usage = { inputTokens: 1_000_000, outputTokens: 0 };

/** A world whose model has a price, and whose agent wants to know the cost. */
export function pricedWorld(
  script: readonly ScriptItem[],
  settings: Partial<AgentInit> = {},
  modelPrice: ModelPrice = price,
): World {
  const provider = scriptedProvider([...script], { id: "vendor", contextWindow: 100_000_000 });
  const model = { provider, id: "big", price: modelPrice };
  return createWorld([], [], { model, includeCost: true, tools: [echoTool()], ...settings });
}

const spendingTypes = new Set<string>([
  "attempt_ended",
  "tool_result",
  "compaction",
  "compaction_failed",
]);
type Spending = EntryOf<"attempt_ended" | "tool_result" | "compaction" | "compaction_failed">;

/** What the entries of the log add up to. */
function sumOfLog(world: World, { id }: Session): { usage: Usage; cost: number | undefined } {
  const spending = world.entries(id).filter((entry) => spendingTypes.has(entry.type)) as Spending[];
  const costs = spending.flatMap(({ cost }) => cost ?? []);
  return {
    usage: spending.reduce<Usage>((sum, entry) => addUsage(sum, used(entry)), {}),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function used(entry: { readonly type: string; readonly usage?: Usage }): Usage {
  return entry.usage ?? (entry.type === "attempt_ended" ? { unreportedAttempts: 1 } : {});
}

/** The totals are those of the log, here and in another host. */
export async function expectTotals(world: World, session: Session): Promise<void> {
  const { usage: sum, cost } = sumOfLog(world, session);
  expect(session.usage).toEqual(sum);
  expect(session.totalCost).toEqual(cost);
  await expectSameElsewhere(world, session);
}

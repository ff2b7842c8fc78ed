/** What a session has used: in all, and apart by what it is priced by. */
import type { Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";

/** Usage of one model at one price. `cost` is what was recorded, where it was. */
export interface PricedUsage {
  readonly model?: string;
  readonly priceId?: string;
  readonly usage: Usage;
  readonly cost?: number;
}

const unreported: Usage = { unreportedAttempts: 1 };

export class UsageFold {
  #total: Usage = {};
  #priced = new Map<string, PricedUsage>();

  get total(): Usage {
    return this.#total;
  }

  /** What a cost is computed from. */
  get priced(): readonly PricedUsage[] {
    return [...this.#priced.values()];
  }

  /** An attempt, or what a tool spent; without `usage` it is an attempt that reported nothing. */
  add(entry: {
    readonly usage?: Usage;
    readonly model?: string;
    readonly priceId?: string;
    readonly cost?: number;
  }): Usage {
    const { usage = unreported, model, priceId, cost } = entry;
    this.#total = addUsage(this.#total, usage);
    const key = `${model ?? ""}\n${priceId ?? ""}`;
    const known = this.#priced.get(key);
    const sum = cost === undefined ? known?.cost : (known?.cost ?? 0) + cost;
    this.#priced.set(key, {
      ...(model !== undefined && { model }),
      ...(priceId !== undefined && { priceId }),
      usage: known === undefined ? usage : addUsage(known.usage, usage),
      ...(sum !== undefined && { cost: sum }),
    });
    return usage;
  }

  /** What comes before was copied from another session, which has counted it. */
  reset(): void {
    this.#total = {};
    this.#priced = new Map();
  }
}

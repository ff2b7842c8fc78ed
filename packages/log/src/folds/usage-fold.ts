/** Usage of a session: in total, and by model and price. */
import type { Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { Draft } from "../entries/draft.ts";

/** Usage of one model at one price. `cost` is the recorded cost, if there is one. */
export interface PricedUsage {
  readonly model?: string;
  readonly priceId?: string;
  readonly usage: Usage;
  readonly cost?: number;
}

/** @internal State in a checkpoint. */
export interface SavedUsage {
  readonly total: Usage;
  readonly rows: readonly PricedUsage[];
}

const unreported: Usage = { unreportedAttempts: 1 };

/** Tokens and cost, in all and by model. */
export class UsageFold {
  #total: Usage = {};
  #rows: Draft<PricedUsage>[] = [];

  get total(): Usage {
    return this.#total;
  }

  /** Rows that a cost is computed from. */
  get priced(): readonly PricedUsage[] {
    return this.#rows.map((row) => ({ ...row }));
  }

  /** Adds an attempt, or what a tool spent; without `usage`, an attempt that reported nothing. */
  add(entry: {
    readonly usage?: Usage;
    readonly model?: string;
    readonly priceId?: string;
    readonly cost?: number;
  }): Usage {
    const { usage = unreported, model, priceId, cost } = entry;
    this.#total = addUsage(this.#total, usage);
    const row = this.#rowOf(model, priceId);
    row.usage = addUsage(row.usage, usage);
    if (cost !== undefined) row.cost = (row.cost ?? 0) + cost;
    return usage;
  }

  #rowOf(model: string | undefined, priceId: string | undefined): Draft<PricedUsage> {
    // Sessions use few models, and stay with one for long.
    const known = this.#rows.findLast((row) => row.model === model && row.priceId === priceId);
    if (known !== undefined) return known;
    const row: Draft<PricedUsage> = { usage: {} };
    if (model !== undefined) row.model = model;
    if (priceId !== undefined) row.priceId = priceId;
    // Not `push`: a list that grows keeps room for more, and few get a second row.
    this.#rows = this.#rows.concat(row);
    return row;
  }

  /** @internal State for a checkpoint. */
  save(): SavedUsage {
    return { total: this.#total, rows: this.priced };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ total, rows }: SavedUsage): void {
    this.#total = total;
    this.#rows = rows.map((row) => ({ ...row }));
  }

  /** Forgets what was copied from another session, which has counted it. */
  reset(): void {
    this.#total = {};
    this.#rows = [];
  }
}

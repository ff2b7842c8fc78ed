/** Budgets of principals: what they have spent within a time window, and what replies under way are spending. */
import type { ModelPrice } from "@capstan/core";
import { costOf } from "@capstan/core";
import type { ProviderPart, Usage } from "@capstan/kernel";
import type { ModelRequest } from "@capstan/log";
import { ServerError } from "../guard/server-error.ts";

/** Limits of each principal, over the last `windowMs`. */
export interface SpendingLimits {
  readonly windowMs: number;
  /** Input and output tokens. */
  readonly maxTokens?: number;
  /** Dollars, at the prices of the models. */
  readonly maxCost?: number;
}

/** Tokens and cost, spent or allowed. */
export interface Spending {
  readonly tokens: number;
  /** In dollars. 0 for models without a price. */
  readonly cost: number;
}

/** Record of what principals have spent. One that lasts, and that processes share, makes budgets survive a restart. */
export interface SpendingLedger {
  /** Sum since this time. */
  spent(principal: string, since: number): Spending | Promise<Spending>;
  add(principal: string, at: number, spending: Spending): void | Promise<void>;
}

/** Slots of a window: amounts leave the memory slot by slot. */
const slots = 60;

/** Keeps at most one amount per slot and principal. */
class MemoryLedger implements SpendingLedger {
  readonly #slotMs: number;
  readonly #amounts = new Map<string, Map<number, Spending>>();

  constructor(windowMs: number) {
    this.#slotMs = Math.max(1, windowMs / slots);
  }

  spent(principal: string, since: number): Spending {
    let sum = nothing;
    const amounts = this.#amounts.get(principal) ?? new Map<number, Spending>();
    for (const [slot, amount] of amounts) {
      if ((slot + 1) * this.#slotMs <= since) amounts.delete(slot);
      else sum = add(sum, amount);
    }
    if (amounts.size === 0) this.#amounts.delete(principal);
    return sum;
  }

  add(principal: string, at: number, spending: Spending): void {
    const amounts = this.#amounts.get(principal) ?? new Map<number, Spending>();
    this.#amounts.set(principal, amounts);
    const slot = Math.floor(at / this.#slotMs);
    amounts.set(slot, add(amounts.get(slot) ?? nothing, spending));
  }
}

const nothing: Spending = { tokens: 0, cost: 0 };

function add(a: Spending, b: Spending): Spending {
  return { tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

/** Characters per token of an estimate, for what no provider has reported. */
const charsPerToken = 4;

/** Counts one reply. Tokens that the provider has not reported are estimated by their characters: an abort must not be a discount. */
export class ReplyMeter {
  readonly #price: ModelPrice | undefined;
  readonly #inputTokens: number;
  #usage: Usage = {};
  #chars = 0;
  #hasBegun = false;

  constructor(request: ModelRequest, price: ModelPrice | undefined) {
    this.#price = price;
    const { messages, tools, options } = request;
    // Media are not text, and would be overestimated.
    const text = JSON.stringify([messages, tools, options.systemPrompt], (name, value: unknown) =>
      name === "data" && typeof value === "string" ? "" : value,
    );
    this.#inputTokens = Math.ceil(text.length / charsPerToken);
  }

  take(part: ProviderPart): void {
    this.#hasBegun = true;
    if ("delta" in part) this.#chars += part.delta.length;
    if ("usage" in part) this.#usage = { ...this.#usage, ...part.usage };
  }

  /** True once the provider has sent a part: a request that fails before costs nothing. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get spending(): Spending {
    const inputTokens = this.#usage.inputTokens ?? this.#inputTokens;
    const outputTokens = this.#usage.outputTokens ?? Math.ceil(this.#chars / charsPerToken);
    const usage = { ...this.#usage, inputTokens, outputTokens };
    return { tokens: inputTokens + outputTokens, cost: costOf(usage, this.#price) ?? 0 };
  }
}

/** A reply that is over the limit while it comes is not cut: a budget is exceeded by at most what is under way. */
export class Budget {
  readonly #limits: SpendingLimits | undefined;
  readonly #ledger: SpendingLedger | undefined;
  readonly #now: () => number;
  readonly #underWay = new Map<string, Set<ReplyMeter>>();

  constructor(
    limits: SpendingLimits | undefined,
    ledger: SpendingLedger | undefined,
    now: () => number,
  ) {
    this.#limits = limits;
    this.#ledger = ledger ?? (limits && new MemoryLedger(limits.windowMs));
    this.#now = now;
  }

  /** Counts the reply from now on. Fails with `budget_exceeded`. */
  async admit(principal: string, meter: ReplyMeter): Promise<void> {
    const others = [...(this.#underWay.get(principal) ?? [])];
    // Before the ledger is read, so that requests at the same time see each other.
    this.#underWay.set(principal, new Set([...others, meter]));
    try {
      if (this.#limits === undefined || this.#ledger === undefined) return;
      const since = this.#now() - this.#limits.windowMs;
      const before = await this.#ledger.spent(principal, since);
      const spent = others.reduce((sum, other) => add(sum, other.spending), before);
      const { maxTokens = Infinity, maxCost = Infinity } = this.#limits;
      if (spent.tokens >= maxTokens || spent.cost >= maxCost) throw exceeded(this.#limits);
    } catch (thrown) {
      this.#leave(principal, meter);
      throw thrown;
    }
  }

  /** Records what the reply has cost. */
  async settle(principal: string, meter: ReplyMeter): Promise<void> {
    try {
      if (meter.hasBegun) await this.#ledger?.add(principal, this.#now(), meter.spending);
    } finally {
      this.#leave(principal, meter);
    }
  }

  #leave(principal: string, meter: ReplyMeter): void {
    const underWay = this.#underWay.get(principal);
    underWay?.delete(meter);
    if (underWay?.size === 0) this.#underWay.delete(principal);
  }
}

function exceeded({ windowMs }: SpendingLimits): ServerError {
  const message = `Your budget for models is spent: it is counted over ${Math.ceil(windowMs / 1_000)} s`;
  return new ServerError("budget_exceeded", message);
}

/** Options of the proxy for models: which ones clients may ask, and how much. */
import type { Model } from "@capstan/core";
import type { NumberRule } from "@capstan/core";
import { problemOfNumbers } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { ServerError } from "../guard/server-error.ts";
import type { SpendingLedger, SpendingLimits } from "./budget.ts";

/** Models that the server offers to agents elsewhere, and what each principal may spend. */
export interface ProxyOptions {
  /** Models that clients may ask, by the name that clients use. A provider that has only one model may stand for it. */
  readonly models: Readonly<Record<string, Model | ProviderContract>>;
  /** Limits on what each principal spends. Default none. */
  readonly budget?: SpendingLimits;
  /** Record of what was spent. Default: the memory of this process, so a restart, and each further process, starts at zero. */
  readonly ledger?: SpendingLedger;
  /** How long a reply whose reader is gone waits for it: after that, the model is aborted. Default 30,000. */
  readonly resumeMs?: number;
  /** Characters of a reply that are kept for a reader that comes back. Default 1,000,000. */
  readonly maxReplayChars?: number;
}

const rules: Readonly<Record<string, NumberRule>> = {
  resumeMs: "0 or more",
  maxReplayChars: "0 or more",
  windowMs: "above 0",
  maxTokens: "0 or more",
  maxCost: "0 or more",
};

/** Throws `invalid_options`. */
export function checkProxy({ models, budget, resumeMs, maxReplayChars }: ProxyOptions): void {
  const problem =
    problemOfNumbers({ resumeMs, maxReplayChars }, rules, "proxy.") ??
    problemOfNumbers(budget, rules, "proxy.budget.");
  if (problem !== undefined) throw new ServerError("invalid_options", `The server's ${problem}`);
  if (budget?.maxCost === undefined) return;
  for (const [name, model] of Object.entries(models)) {
    if ("price" in model && model.price !== undefined) continue;
    const message = `The server's proxy.budget.maxCost needs the price of every model, and "${name}" has none: pass { provider, id, price }`;
    throw new ServerError("invalid_options", message);
  }
}

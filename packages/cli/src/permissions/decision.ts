/** Decision about a call, and how it is told to people. */
import type { RuleLayer } from "./rule.ts";

export interface Asking {
  readonly type: "ask";
  /** Rule that asks, or that denies what this call may do: it overrides every rule that allows. */
  readonly rule?: string;
  readonly layer?: RuleLayer;
  /** One sentence without a period. */
  readonly why: string;
  /** Rules that together would allow exactly this call, or the closest ones. Empty if no rule can. */
  readonly allowWith: readonly string[];
  /** Commands of a script that would run alone, and those that would not. */
  readonly parts?: { readonly allowed: readonly string[]; readonly refused: readonly string[] };
}

export type Decision =
  | { readonly type: "allow" }
  | Asking
  | { readonly type: "deny"; readonly rule: string; readonly layer?: RuleLayer };

const layers: Readonly<Record<RuleLayer, string>> = {
  user: "in the user's settings",
  project: "in the project's settings",
  session: "of this session",
  flags: "on the command line",
};

/** The rule and its layer, as in "bash(rm *), in the user's settings". */
export function describeRule(rule: string, layer: RuleLayer | undefined): string {
  return layer === undefined ? rule : `${rule}, ${layers[layer]}`;
}

/** Why a call waits, and what would allow it, in one line for clients and terminals. */
export function describeAsking({ why, rule, layer, allowWith }: Asking): string {
  if (rule !== undefined) {
    return `${why} (rule: ${describeRule(rule, layer)}). No other rule can allow it.`;
  }
  return allowWith.length === 0
    ? `${why}. No rule with a pattern can allow it.`
    : `${why}. To allow it: ${allowWith.join(" and ")}.`;
}

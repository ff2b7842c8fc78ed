/** Answers pending calls without a user to ask: calls the rules allow run, all others are refused and reported. */
import type { Answer } from "@capstan/core";
import type { PendingCall } from "@capstan/kernel";
import { describeRule } from "../permissions/decision.ts";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import { explainToModel } from "../permissions/explain-to-model.ts";
import type { Printer } from "../print/printer.ts";

export type TellRefusal = Printer["refused"];

export function settleCall(
  call: PendingCall,
  decide: (call: CallToDecide) => Decision,
  tell: TellRefusal,
): Answer {
  const { toolCallId, hash, kind } = call;
  if (kind === "execution") {
    tell(call, "the program that provides this tool is not connected");
    return {
      toolCallId,
      isError: true,
      output: "The program that provides this tool is not connected.",
    };
  }
  const decision = decide(call);
  if (decision.type === "allow") return { toolCallId, hash, approved: true };
  tell(call, hintOf(decision));
  return { toolCallId, hash, approved: false, reason: explainToModel(decision) };
}

type Refusal = Exclude<Decision, { readonly type: "allow" }>;

function hintOf(refusal: Refusal): string {
  const { rule, layer } = refusal;
  if (refusal.type === "deny") return `denied by the rule ${describeRule(refusal.rule, layer)}`;
  // Such a rule overrides every rule that allows.
  if (rule !== undefined)
    return `approval required by the rule ${describeRule(rule, layer)}, and no user can be asked`;
  const { allowWith, why } = refusal;
  if (allowWith.length === 0) return `no rule with a pattern can allow it: ${why}`;
  return `allow it with ${allowWith.map((one) => `--allow ${quoted(one)}`).join(" ")}`;
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

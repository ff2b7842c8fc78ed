/** Answers pending calls without a user to ask: calls the rules allow run, all others are refused and reported. */
import type { Answer } from "@capstan/core";
import type { PendingCall } from "@capstan/kernel";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
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
  return { toolCallId, hash, approved: false, reason: reasonOf(decision) };
}

type Refusal = Exclude<Decision, { readonly type: "allow" }>;

function hintOf(refusal: Refusal): string {
  if (refusal.type === "deny") return `denied by the rule ${refusal.rule}`;
  // Such a rule overrides every rule that allows.
  if (refusal.rule !== undefined)
    return `the rule ${refusal.rule} requires approval, and no user can be asked`;
  return `allow it with --allow ${quoted(refusal.allowWith)}`;
}

/** For the model. */
function reasonOf(refusal: Refusal): string {
  return refusal.type === "deny"
    ? "A rule of the user forbids this call. Continue without it."
    : "The user has not allowed this call, and cannot be asked now. Continue without it, or say in your answer what should be run.";
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

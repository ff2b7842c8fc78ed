/** Answers calls that wait for somebody, where nobody can be asked: what the rules allow runs, everything else is refused and said. */
import type { Answer } from "@capstan/core";
import type { PendingCall } from "@capstan/kernel";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import { describeCall } from "../print/describe-call.ts";
import type { Note } from "../print/notes.ts";

export function settleCall(
  call: PendingCall,
  decide: (call: CallToDecide) => Decision,
  note: Note,
): Answer {
  const { toolCallId, hash, kind } = call;
  const shown = describeCall(call);
  if (kind === "execution") {
    note(`refused: ${shown} (the program that lent this tool is not here)`);
    return {
      toolCallId,
      isError: true,
      output: "The program that lent this tool is not connected.",
    };
  }
  const decision = decide(call);
  if (decision.type === "allow") return { toolCallId, hash, approved: true };
  note(`refused: ${shown} (${hintOf(decision)})`);
  return { toolCallId, hash, approved: false, reason: reasonOf(decision) };
}

type Refusal = Exclude<Decision, { readonly type: "allow" }>;

function hintOf(refusal: Refusal): string {
  if (refusal.type === "deny") return `the rule ${refusal.rule} denies it`;
  // Such a rule goes before all that allow.
  if (refusal.rule !== undefined) return `the rule ${refusal.rule} asks, and nobody is here`;
  return `allow it with --allow ${quoted(refusal.allowWith)}`;
}

/** For the model. */
function reasonOf(refusal: Refusal): string {
  return refusal.type === "deny"
    ? "A rule of the user forbids this call. Do without it."
    : "The user has not allowed this call, and cannot be asked now. Do without it, or say in your answer what should be run.";
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

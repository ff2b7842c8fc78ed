/** Tells the model why a call was not run, and what it may do instead. */
import type { Decision } from "./decision.ts";

type Refusal = Exclude<Decision, { readonly type: "allow" }>;

export function explainToModel(refusal: Refusal): string {
  if (refusal.type === "deny") {
    return `The user's rule ${refusal.rule} forbids this call. Continue without it, and do not try to do the same in another way.`;
  }
  const rest = "Continue without it, or say in your answer what should be run.";
  const start = "The user has not allowed this call, and cannot be asked now.";
  const { parts, why } = refusal;
  if (parts === undefined) return `${start} ${why}. ${rest}`;
  const { allowed, refused } = parts;
  const isCompound = allowed.length + refused.length > 1;
  const not = isCompound ? ` Not allowed in it: ${list(refused)}.` : "";
  const alone =
    allowed.length > 0 ? ` Allowed, and would run if called alone: ${list(allowed)}.` : "";
  return `${start}${not}${alone} ${rest}`;
}

/** Whether a result tells that a rule denied the call: such calls are blocked without a question. */
export function isDenial(text: string): boolean {
  return /^The user's rule .+ forbids this call\./.test(text);
}

function list(sources: readonly string[]): string {
  return [...new Set(sources)].map((source) => `\`${source}\``).join(", ");
}

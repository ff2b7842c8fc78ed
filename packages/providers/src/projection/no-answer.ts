/** Replies that were refused or blocked before they had content. */
import type { JsonValue, ProviderPart, RefusalPart } from "@capstan/kernel";
import { isObject, textAt } from "../wire/wire-json.ts";

/** Marks a refusal that is the vendor's explanation, not the model's words. */
const explanationData: JsonValue = { isExplanation: true };

/** Reports why there is no answer, as a refusal: readers see it, and the transcript keeps it. */
export function explainNoAnswer(explanation: string, parts: ProviderPart[]): void {
  parts.push({ type: "refusal_delta", delta: explanation });
  parts.push({ type: "refusal_end", providerData: explanationData });
}

export function isExplanation({ providerData }: RefusalPart): boolean {
  return isObject(providerData) && providerData["isExplanation"] === true;
}

/** Formats reason and findings, `SAFETY (HATE_SPEECH: HIGH)`, for vendors that send no sentence. */
export function blockedFor(reason: string, findings: readonly string[]): string {
  const found = findings.length === 0 ? "" : ` (${findings.join(", ")})`;
  return `${reason}${found}`;
}

/** Categories that Azure's filter rejected. */
export function filteredIn(results: JsonValue | undefined): readonly string[] {
  if (!isObject(results)) return [];
  return Object.entries(results).flatMap(([category, result]) => {
    if (!isObject(result) || result["filtered"] !== true) return [];
    const severity = textAt(result, "severity");
    return [severity === undefined ? category : `${category}: ${severity}`];
  });
}

/** Maps the vendor's finish reasons to the kernel's. */
import type { FinishReason, JsonValue } from "@capstan/kernel";
import { blockedFor } from "../../projection/no-answer.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";

/** Names by number, which some endpoints send. */
const names = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  MODEL_ARMOR: "content-filter",
};

/** Unknown reasons are passed through. */
export function toFinishReason(reason: string | number): FinishReason {
  const name = typeof reason === "number" ? (names[reason] ?? String(reason)) : reason;
  return (Object.hasOwn(reasons, name) ? reasons[name] : undefined) ?? name;
}

/** Whether the model wrote a call that the vendor could not parse. */
export function isWrongCall(reason: FinishReason): boolean {
  return reason === "MALFORMED_FUNCTION_CALL";
}

/** Whether the reason means that there is no answer: neither a regular end nor the token limit. */
export function isNoAnswer(reason: FinishReason): boolean {
  return reason !== "stop" && reason !== "length";
}

/** Explains why there is no answer: the vendor's sentence, or its findings. */
export function explanationOf(provider: string, metadata: JsonObject): string {
  const { promptFeedback: told = null, finishReason = null, safetyRatings = null } = metadata;
  const feedback = isObject(told) ? told : {};
  const sentence = textAt(metadata, "finishMessage") ?? textAt(feedback, "blockReasonMessage");
  if (sentence !== undefined && sentence.trim() !== "") return sentence;
  const blocked = feedback["blockReason"];
  if (blocked !== undefined) {
    const why = blockedFor(wordOf(blocked), findingsIn(feedback["safetyRatings"]));
    return `${provider} blocked the request: ${why}.`;
  }
  const why = blockedFor(wordOf(finishReason), findingsIn(safetyRatings));
  return `${provider} blocked its reply: ${why}.`;
}

/** A word, or the number that some endpoints send instead. */
function wordOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function findingsIn(ratings: JsonValue | undefined): readonly string[] {
  return listOf(ratings).flatMap((rating) => {
    if (!isObject(rating)) return [];
    const { blocked = null, probability = null } = rating;
    const isFound = blocked === true || probability === "HIGH" || probability === "MEDIUM";
    const category = (textAt(rating, "category") ?? "").replace("HARM_CATEGORY_", "");
    return isFound ? [`${category}: ${wordOf(probability)}`] : [];
  });
}

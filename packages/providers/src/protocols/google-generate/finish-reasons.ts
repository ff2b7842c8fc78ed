/** Why the vendor says that it stopped, in the kernel's words. */
import type { FinishReason } from "@capstan/kernel";

/** By their numbers, as some endpoints send them. */
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

/** A reason that is not in the table passes through as it is. */
export function toFinishReason(reason: string | number): FinishReason {
  const name = typeof reason === "number" ? (names[reason] ?? String(reason)) : reason;
  return (Object.hasOwn(reasons, name) ? reasons[name] : undefined) ?? name;
}

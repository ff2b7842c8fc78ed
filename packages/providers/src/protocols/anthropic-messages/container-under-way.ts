/** The container in which the vendor runs code. */
import type { ChatMessage } from "@capstan/kernel";
import type { TargetOrigin } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** Container of the current turn, whose code may still be running. An older one may be gone, and the vendor rejects those. */
export function containerUnderWay(
  messages: readonly ChatMessage[],
  target: TargetOrigin,
): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    const { stopReason, metadata } = message;
    const isUnderWay = stopReason === "tool-calls" || stopReason === "pause";
    if (!isUnderWay || !readableOf(message.origin, target).native) return undefined;
    const container = isObject(metadata) ? metadata["container"] : undefined;
    const id = isObject(container) ? textAt(container, "id") : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
}

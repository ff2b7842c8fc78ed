/** Why the vendor says that it stopped, in the kernel's words. */
import type { FinishReason } from "@capstan/kernel";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  // Cut like at `max_tokens`, by the window of the model: what stands is kept, and none of its calls may run. A context that is too
  // long to begin with is an error of the request instead.
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  // The vendor summed up the conversation and waits to be asked again.
  compaction: "pause",
  refusal: "content-filter",
};

/** Those that fail an attempt in the kernel; from a vendor they are only words. */
const reserved: ReadonlySet<string> = new Set(["error", "aborted"]);

/** A reason that is not in the table passes through as it is. */
export function toFinishReason(stopReason: string): FinishReason {
  const known = Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (reserved.has(stopReason) ? `anthropic-${stopReason}` : stopReason);
}

/** Maps the vendor's stop reasons to the kernel's. */
import type { FinishReason } from "@capstan/kernel";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  // Truncated as at `max_tokens`, by the model's context window: the content is kept, and none of its calls may run. A context that
  // is too long from the start is a request error instead.
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  // The vendor summarized the conversation and waits for the next request.
  compaction: "pause",
  refusal: "content-filter",
};

/** Words that fail an attempt in the kernel, and must not come from a vendor. */
const reserved: ReadonlySet<string> = new Set(["error", "aborted"]);

/** Unknown reasons are passed through. */
export function toFinishReason(stopReason: string): FinishReason {
  const known = Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined;
  return known ?? (reserved.has(stopReason) ? `anthropic-${stopReason}` : stopReason);
}

/** How the tool calls of one step run, and which hooks may intervene. */
import type { JsonValue } from "./conversation.ts";
import type { ToolResult } from "./tool.ts";

/** A checked call, before or after its execution. */
export interface DispatchedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly step: number;
}

/** Decision of `before` about a call: run it, block it, ask a person, or run it with another input. */
export type BeforeDecision =
  | { readonly action: "run" }
  /** The model gets the reason as an error result. */
  | { readonly action: "block"; readonly reason: string }
  /** Suspends the call until it is approved. */
  | { readonly action: "ask"; readonly reason?: string }
  /** Runs with another input, which is checked like the first. */
  | { readonly action: "alter"; readonly input: JsonValue };

/** Rules for running the tool calls of a reply: their order, how many at once, and hooks around each. */
export interface ToolDispatchPolicy {
  /** `sequential` runs the calls one after another in call order. Default `parallel`. */
  readonly mode?: "parallel" | "sequential";
  /** How many calls run at once. Default 8. */
  readonly maxParallel?: number;
  /**
   * How waiting steering affects calls of the batch that have not started: `after-batch` (default) runs them, `skip-remaining` gives them
   * error results.
   */
  readonly steering?: "after-batch" | "skip-remaining";
  /** How long running tools may take to stop after an abort. Default 1,000; needs the injected timer. */
  readonly graceMs?: number;
  /** Asked for each call, in call order, before it starts. A throwing hook blocks the call. */
  before?(call: DispatchedCall): BeforeDecision | void | Promise<BeforeDecision | void>;
  /** May replace a result before it is recorded or shown. A throwing hook withholds the result. */
  after?(call: DispatchedCall, result: ToolResult): ToolResult | void | Promise<ToolResult | void>;
}

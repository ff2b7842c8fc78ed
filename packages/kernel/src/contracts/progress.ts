/** How far turns have come: what a caller passes back to go on with them. */
import type { JsonValue, Usage } from "./conversation.ts";
import type { PendingCall } from "./events.ts";
import type { ToolResult } from "./tool.ts";

/** The state of one call of an unfinished step. A call that is not listed is `fresh`. */
export type OpenCall = {
  readonly toolCallId: string;
  /** The final input, where it differs from what the model sent. */
  readonly input?: JsonValue;
} & (
  | { readonly state: "fresh" }
  /** It had started, and nobody knows how it ended. */
  | { readonly state: "started"; readonly key: string }
  | { readonly state: "approved" }
  | { readonly state: "denied"; readonly reason?: string }
  /** `isRecorded`: the journal has this result already, so it is neither recorded nor shown again. */
  | { readonly state: "settled"; readonly result: ToolResult; readonly isRecorded?: boolean }
  | { readonly state: "pending"; readonly pending: PendingCall }
);

/** The model that was asked last, of a provider with a `fallback`. */
export interface AskedModel {
  /** As it stands in logs: the id of its provider and its own. */
  readonly model: string;
  readonly index: number;
  /** Code of the error that it failed with, if it did. */
  readonly failedWith?: string;
}

/** What a chain of turns that continue each other has used up. */
export interface TurnProgress {
  readonly steps: number;
  readonly attempts: number;
  readonly usage: Usage;
  /** On the injected clock. */
  readonly startedAt?: number;
  /** The next turn of the chain goes on with it. */
  readonly asked?: AskedModel;
}

export interface PriorProgress extends TurnProgress {
  /** The turn had started before, in another process: it gets no second `turn_start`. */
  readonly isResumed?: boolean;
  /** Attempts that the next step has behind it, because the process ended in the last of them. */
  readonly attemptsInStep?: number;
}

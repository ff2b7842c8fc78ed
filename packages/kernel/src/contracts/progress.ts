/** Progress of turns: the state that a caller passes back to continue them. */
import type { JsonValue, Usage } from "./conversation.ts";
import type { PendingCall } from "./events.ts";
import type { ToolResult } from "./tool.ts";

/** Answer to one question of a suspended call. */
export type Answered = { readonly toolCallId: string } & (
  | { readonly state: "approved" }
  | { readonly state: "denied"; readonly reason?: string }
  | { readonly state: "settled"; readonly result: ToolResult }
);

/** State and answers that a suspended call continues with. */
export interface Resumption {
  readonly state: JsonValue;
  /** In the order of its questions. Questions without an answer are missing. */
  readonly answers: readonly Answered[];
  /** True if calls that the tool made itself asked the questions: the answers are theirs, and `state` is the kernel's. */
  readonly isNested?: boolean;
}

/** A call that a tool has made itself, as recorded. The same call of the next run gets the same result. */
export type NestedCall = {
  readonly toolCallId: string;
  /** Hash of the tool's name and the input. */
  readonly hash: string;
} & (
  | { readonly state: "started"; readonly key: string }
  | { readonly state: "settled"; readonly result: ToolResult }
);

/** State of one call of an unfinished step. A call that is not listed is `fresh`. */
export type OpenCall = {
  readonly toolCallId: string;
  /** Final input, if it differs from the model's input. */
  readonly input?: JsonValue;
  /** Calls that its tool has made itself. */
  readonly nested?: readonly NestedCall[];
} & (
  | { readonly state: "fresh" }
  /** The call had started, and its outcome is unknown. `resumed`: it had been suspended before. */
  | { readonly state: "started"; readonly key: string; readonly resumed?: Resumption }
  | { readonly state: "approved" }
  | { readonly state: "denied"; readonly reason?: string }
  /** `isRecorded`: the journal already has this result, so it is neither recorded nor shown again. */
  | { readonly state: "settled"; readonly result: ToolResult; readonly isRecorded?: boolean }
  | { readonly state: "pending"; readonly pending: PendingCall }
  /** Its own tool suspended it, and waits. */
  | { readonly state: "suspended"; readonly pending: readonly PendingCall[] }
  /** Its own tool suspended it, and runs again. */
  | { readonly state: "resumed"; readonly resumed: Resumption }
);

/** Model that was asked last, of a provider with a `fallback`. */
export interface AskedModel {
  /** Name as recorded in logs: the provider's id and the model's. */
  readonly model: string;
  readonly index: number;
  /** Code of the error that the model failed with, if it did. */
  readonly failedWith?: string;
}

/** A step with the choice that was recorded for it. */
export interface PreparedStep {
  readonly step: number;
  readonly choice: JsonValue;
}

/** Consumption of a chain of turns that continue each other. */
export interface TurnProgress {
  readonly steps: number;
  readonly attempts: number;
  readonly usage: Usage;
  /** Time on the injected clock. */
  readonly startedAt?: number;
  /** The next turn of the chain continues with this model. */
  readonly asked?: AskedModel;
}

/** Progress of a turn that an earlier process began, from which `runTurn` continues. */
export interface PriorProgress extends TurnProgress {
  /** The turn had started before, in another process: it gets no second `turn_start`. */
  readonly isResumed?: boolean;
  /** Attempts already made in the next step, because the process ended during the last one. */
  readonly attemptsInStep?: number;
  /** How `prepareStep` prepared the step that is open, or that follows. */
  readonly prepared?: PreparedStep;
}

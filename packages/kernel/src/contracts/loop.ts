/** Options of the turn loop beyond its basic input, in four groups. A caller passes each group as a whole. */
import type {
  AssistantMessage,
  ChatMessage,
  DocumentPart,
  FinishReason,
  ImagePart,
  JsonValue,
  SerializedError,
  ToolCallPart,
} from "./conversation.ts";
import type { Journal } from "./journal.ts";
import type { OpenCall, PriorProgress, TurnProgress } from "./progress.ts";
import type { ProviderContract, ProviderStreamOptions } from "./provider.ts";
import type { ToolContract, ToolResult } from "./tool.ts";

/** Retry of failed attempts. Without `timer` a retry does not wait. */
export interface RetryPolicy {
  /** Attempts of one step, including the first. */
  readonly maxAttempts: number;
  /** Default 500. Doubles with each attempt. */
  readonly baseDelayMs?: number;
  /** Default 30,000. */
  readonly maxDelayMs?: number;
  /** An error that asks for a longer wait is not retried. Default 60,000. */
  readonly maxRetryAfterMs?: number;
  /** No attempt of a step starts later than this after its first failure. Needs `now`. No default. */
  readonly maxTotalMs?: number;
}

/** Limits on the injected timer, in milliseconds; `Infinity` disables one. */
export interface Deadlines {
  /** Time to the first part of an attempt. Default 300,000. */
  readonly firstPartMs?: number;
  /** Time between two parts; detected late by at most a quarter of it. Default 120,000. */
  readonly betweenPartsMs?: number;
  /**
   * Time since the last content of a reply, detected like `betweenPartsMs`: parts without content, such as pings and token counts, keep an
   * attempt alive only this long. Before the first content, `firstPartMs` applies if it is longer. No default.
   */
  readonly contentMs?: number;
  /** One whole attempt. No default. */
  readonly attemptMs?: number;
  /**
   * One run of a turn. Also ends a request under way and running tools; the turn ends with `budget-exceeded`. A turn that is resumed, or
   * continues after an answer, starts counting again. No default.
   */
  readonly turnMs?: number;
  /** One execution of a tool that states no `timeoutMs`. No default. */
  readonly toolMs?: number;
  /** Any other callback that is awaited, including the journal. Default 30,000. */
  readonly callbackMs?: number;
}

/** Limits on the data that a turn accepts. None by default. */
export interface TurnLimits {
  /** Characters of one reply, including the provider's metadata. A longer reply fails, and nothing of it is kept. */
  readonly replyChars?: number | undefined;
  /** Tool calls of one reply. A reply with more fails, and nothing of it is kept. */
  readonly replyCalls?: number | undefined;
  /** Consecutive replies that the provider only paused. After that many the turn fails. */
  readonly pauses?: number | undefined;
  /** Characters that one tool call shows while it runs. More is not shown live; its result is not truncated. */
  readonly liveOutputChars?: number | undefined;
}

/** A step that has just ended, for `stopWhen`. */
export interface FinishedStep extends TurnProgress {
  readonly messages: readonly ChatMessage[];
}

/** When a turn ends, how often and how long it retries, and how much it accepts. */
export interface LoopLimits extends TurnLimits {
  readonly maxSteps?: number | undefined;
  /** If `maxSteps` is reached: one last step that may call no tool and reports what was done. */
  readonly closing?: { readonly prompt: string } | undefined;
  /** Called after each step with tool calls. A string is the finish reason; `true` means `stop`. */
  readonly stopWhen?:
    | ((step: FinishedStep) => boolean | FinishReason | Promise<boolean | FinishReason>)
    | undefined;
  /** Called before each request. A string ends the turn with that finish reason, for example if a budget is spent. */
  readonly checkLimits?:
    | ((progress: TurnProgress) => FinishReason | undefined | Promise<FinishReason | undefined>)
    | undefined;
  /**
   * Called with a reply that would end the turn with `stop`. A string states what is wrong with it: the model gets it once, and if the next
   * answer is wrong too, the turn fails with code `invalid_output`.
   */
  readonly checkAnswer?:
    | ((message: AssistantMessage) => string | undefined | Promise<string | undefined>)
    | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly deadlines?: Deadlines | undefined;
}

/** Messages of a turn, in order. Each list only grows. */
export interface MessagesSoFar {
  readonly history: readonly ChatMessage[];
  readonly input: readonly ChatMessage[];
  /** Messages added since the turn began. */
  readonly added: readonly ChatMessage[];
}

/** Outcome of `makeRoom`: `undefined` if nothing had to be done, or nothing could be done. */
export type Room = true | FinishReason | undefined;

/** A step that is about to ask a model. */
export interface StepStart extends TurnProgress {
  readonly step: number;
  /** Messages that the model would be shown, before `transformContext`. */
  readonly messages: readonly ChatMessage[];
  /** Choice that was recorded for this step before its process ended: the step must be prepared in the same way again. */
  readonly recorded?: JsonValue;
}

/** Changes for one step. Fields that are left out are as for the whole turn. */
export interface StepChanges {
  readonly provider?: ProviderContract;
  /** Replaces the `providerOpts` of the turn. */
  readonly options?: ProviderStreamOptions;
  /** Name of the model in facts and events. */
  readonly model?: string;
  /** Tools that the model may call in this step. */
  readonly tools?: readonly ToolContract[];
  /** Appended to the conversation for good. A closing step takes none. */
  readonly messages?: readonly ChatMessage[];
  /** The choice as the journal records it, and returns it in `StepStart.recorded`. */
  readonly choice?: JsonValue;
}

/** Decides what a model is shown. */
export interface LoopContext {
  /** Called before each step: chooses its model, tools and options, and appends messages. Recorded before the step makes a request. */
  readonly prepareStep?:
    | ((step: StepStart) => StepChanges | undefined | Promise<StepChanges | undefined>)
    | undefined;
  /**
   * Returns the messages that requests are built from, if the caller shows only some of them: evicted outputs, a summary. Called when a
   * request is read; the list may grow afterwards.
   */
  readonly project?: ((messages: MessagesSoFar) => readonly ChatMessage[]) | undefined;
  readonly transformContext?:
    | ((
        messages: readonly ChatMessage[],
        signal: AbortSignal,
      ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>)
    | undefined;
  /** Converts messages of the application to messages for a model. The default drops messages that no model may see. */
  readonly convertToLlm?:
    | ((
        messages: readonly ChatMessage[],
      ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>)
    | undefined;
  /**
   * Makes room in the context if it is too full. Called right before each request, and once more with the error if the vendor rejects a
   * request as too long. `true`: there is room now, and the limits are checked again; a string ends the turn with that finish reason. It may
   * call a model, so it has no deadline here: only an abort ends the wait.
   */
  readonly makeRoom?: ((overflow?: SerializedError) => Room | Promise<Room>) | undefined;
  /**
   * Called once per step with an error that is not retried and the context that caused it; and again for each further part of the context
   * that the vendor rejects. If it returns messages, they replace the context for one more attempt.
   */
  readonly onOverflow?:
    | ((
        error: SerializedError,
        messages: readonly ChatMessage[],
      ) => readonly ChatMessage[] | undefined | Promise<readonly ChatMessage[] | undefined>)
    | undefined;
  /**
   * Called with each image and document that a tool returns. A string states why it must not enter the conversation: the model reads it
   * instead of the part.
   */
  readonly checkMedia?: ((part: ImagePart | DocumentPart) => string | undefined) | undefined;
  /**
   * Called with each result from a tool or from outside, after all hooks and before it is recorded or shown: its return value replaces the
   * result. For a caller that stores long outputs elsewhere. If it fails, the result stays as it is.
   */
  readonly boundResult?:
    | ((call: ToolCallPart, result: ToolResult) => ToolResult | Promise<ToolResult>)
    | undefined;
}

/** The caller's log of a turn: what is recorded, and where the turn continues. */
export interface LoopJournal {
  readonly record?: Journal | undefined;
  /** The caller shows the events of facts from its log: `emit` gets only events that no fact produces. Default false. */
  readonly isShown?: boolean | undefined;
  /** Distinguishes conversations with the same id: a random part of the idempotency keys of their calls. */
  readonly incarnation?: string | undefined;
  /** Id of the turn that this one continues, for `turn_start`. */
  readonly continues?: string | undefined;
  /** Progress of the chain of turns that this one continues. With `open`, it includes the open step. */
  readonly prior?: PriorProgress | undefined;
  /** Enters in the middle of a step: the messages end in an assistant message with calls that have no result. */
  readonly open?: readonly OpenCall[] | undefined;
  /** Number of messages, from the first on, that only keep their positions: `project` shows none of them, and tools do not get them. */
  readonly leftOut?: number | undefined;
  /** Returns answers to pending calls that arrived since the last call. */
  readonly answers?: (() => readonly OpenCall[]) | undefined;
  /** Called between calls under `skip-remaining`. */
  readonly hasSteering?: (() => boolean) | undefined;
}

/** Runs `fn` once after `ms`, unless the returned function is called first. */
export type Timer = (ms: number, fn: () => void) => () => void;

/** Timer, random source and ids. The clock itself is `now`. */
export interface LoopClock {
  /** Without it there are no deadlines, retries do not wait, and only the signal ends a hang. */
  readonly timer?: Timer | undefined;
  /** Random number in [0, 1), for the jitter of retries. Without it there is no jitter. */
  readonly random?: (() => number) | undefined;
  /** Creates ids of messages and tool calls. Without it they are derived from the turn id and the position in the transcript. */
  readonly newId?: (() => string) | undefined;
  /**
   * Called between steps, calls and parts; a returned promise is awaited. For a caller whose timers and other work must run even if
   * providers and tools never wait. It should almost always return undefined.
   */
  readonly breathe?: (() => Promise<void> | undefined) | undefined;
}

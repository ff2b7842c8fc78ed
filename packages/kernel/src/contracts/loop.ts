/** The options of the turn loop beyond its basic input, in four groups. A caller passes each of them as a whole. */
import type {
  AssistantMessage,
  ChatMessage,
  DocumentPart,
  FinishReason,
  ImagePart,
  SerializedError,
  ToolCallPart,
} from "./conversation.ts";
import type { Journal } from "./journal.ts";
import type { OpenCall, PriorProgress, TurnProgress } from "./progress.ts";
import type { ToolResult } from "./tool.ts";

/** Retry of failed attempts. Without `timer` a retry does not wait. */
export interface RetryPolicy {
  /** Attempts of one step, the first included. */
  readonly maxAttempts: number;
  /** Default 500. Doubles with each attempt. */
  readonly baseDelayMs?: number;
  /** Default 30,000. */
  readonly maxDelayMs?: number;
  /** An error that asks for a longer wait than this is not retried. Default 60,000. */
  readonly maxRetryAfterMs?: number;
}

/** Limits on the injected timer, in milliseconds; `Infinity` switches one off. */
export interface Deadlines {
  /** To the first part of an attempt. Default 300,000. */
  readonly firstPartMs?: number;
  /** Between two parts, noticed late by a quarter of it at most. Default 120,000. */
  readonly betweenPartsMs?: number;
  /**
   * Since the last content of a reply, noticed like `betweenPartsMs`: parts that carry none, such as pings and token counts, keep an attempt
   * alive only so long. Before the first content it is `firstPartMs`, if that is longer. No default.
   */
  readonly contentMs?: number;
  /** One whole attempt. No default. */
  readonly attemptMs?: number;
  /**
   * One run of a turn. It also ends a request under way and running tools; the turn ends with `budget-exceeded`. A turn that is resumed, or
   * goes on after an answer, begins to count again. No default.
   */
  readonly turnMs?: number;
  /** One execution of a tool that states no `timeoutMs`. No default. */
  readonly toolMs?: number;
  /** Any other callback that is waited for, the journal included. Default 30,000. */
  readonly callbackMs?: number;
}

/** How much a turn may take in. Nothing is limited by default. */
export interface TurnLimits {
  /** Characters of one reply, with what the provider sends along. A longer one fails, and nothing of it is kept. */
  readonly replyChars?: number | undefined;
  /** Tool calls of one reply. One with more fails, and nothing of it is kept. */
  readonly replyCalls?: number | undefined;
  /** Replies in a row that the provider only paused. After so many the turn fails. */
  readonly pauses?: number | undefined;
  /** Characters that one call of a tool shows while it runs. More is not shown live; its result is as long as it is. */
  readonly liveOutputChars?: number | undefined;
}

/** A step that has just ended, for `stopWhen`. */
export interface FinishedStep extends TurnProgress {
  readonly messages: readonly ChatMessage[];
}

/** When a turn ends, how often and how long it tries, and how much it takes in. */
export interface LoopLimits extends TurnLimits {
  readonly maxSteps?: number | undefined;
  /** When `maxSteps` is reached: one last step that may call no tool and reports what was done. */
  readonly closing?: { readonly prompt: string } | undefined;
  /** Asked after each step with tool calls. A string is the finish reason; `true` means `stop`. */
  readonly stopWhen?:
    | ((step: FinishedStep) => boolean | FinishReason | Promise<boolean | FinishReason>)
    | undefined;
  /** Asked before each request. A string ends the turn with it, as for a spent budget. */
  readonly checkLimits?:
    | ((progress: TurnProgress) => FinishReason | undefined | Promise<FinishReason | undefined>)
    | undefined;
  /**
   * Asked about a reply that would end the turn with `stop`. A string is what is wrong with it: the model is told once, and
   * if the next answer is wrong too the turn fails with code `invalid_output`.
   */
  readonly checkAnswer?:
    | ((message: AssistantMessage) => string | undefined | Promise<string | undefined>)
    | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly deadlines?: Deadlines | undefined;
}

/** The messages of a turn, in their order. Each list only grows. */
export interface MessagesSoFar {
  readonly history: readonly ChatMessage[];
  readonly input: readonly ChatMessage[];
  /** Since the turn began. */
  readonly added: readonly ChatMessage[];
}

/** What `makeRoom` came to: `undefined` where there was nothing to be done, or nothing that it could do. */
export type Room = true | FinishReason | undefined;

/** What a model is shown. */
export interface LoopContext {
  /**
   * What requests are made from, in place of the messages so far, by a caller that shows less of them: evicted outputs, a summary. Asked when a
   * request is read; the list may grow afterwards.
   */
  readonly project?: ((messages: MessagesSoFar) => readonly ChatMessage[]) | undefined;
  readonly transformContext?:
    | ((
        messages: readonly ChatMessage[],
        signal: AbortSignal,
      ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>)
    | undefined;
  /** From messages of the application to messages for a model. The default drops what no model may see. */
  readonly convertToLlm?:
    | ((
        messages: readonly ChatMessage[],
      ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>)
    | undefined;
  /**
   * Makes room in the context where that is too full. Asked right before each request, and with the error once more for a request that the
   * vendor calls too long. `true`: there is room now, and the limits are asked again; a string ends the turn with it. It may ask a model, so it
   * has no deadline here: only an abort ends the wait.
   */
  readonly makeRoom?: ((overflow?: SerializedError) => Room | Promise<Room>) | undefined;
  /**
   * Asked once per step about an error that is not retried, with the context that it came of; and again for each further part of
   * it that the vendor will not take. New messages replace the context: one more attempt.
   */
  readonly onOverflow?:
    | ((
        error: SerializedError,
        messages: readonly ChatMessage[],
      ) => readonly ChatMessage[] | undefined | Promise<readonly ChatMessage[] | undefined>)
    | undefined;
  /**
   * Asked about each image and document that a tool gives. A string is why it must not be part of the conversation: the model reads it
   * in the place of the part.
   */
  readonly checkMedia?: ((part: ImagePart | DocumentPart) => string | undefined) | undefined;
  /**
   * Gets each result that a tool or somebody outside gave, last of all and before it is recorded or shown: what it returns stands in its
   * place. For a caller that keeps long outputs elsewhere. If it fails, the result stays as it is.
   */
  readonly boundResult?:
    | ((call: ToolCallPart, result: ToolResult) => ToolResult | Promise<ToolResult>)
    | undefined;
}

/** The log that the caller keeps of a turn: what it is told, and where the turn goes on. */
export interface LoopJournal {
  readonly record?: Journal | undefined;
  /** The caller shows the events of facts from its log: `emit` gets only events that no fact tells. Default false. */
  readonly isShown?: boolean | undefined;
  /** Tells conversations of the same id apart: a random part of the idempotency keys of their calls. */
  readonly incarnation?: string | undefined;
  /** The turn that this one continues, for `turn_start`. */
  readonly continues?: string | undefined;
  /** What the chain of turns that this one continues has used. With `open`, the open step is counted in it. */
  readonly prior?: PriorProgress | undefined;
  /** Enters in the middle of a step: the messages end in an assistant message with calls that have no result. */
  readonly open?: readonly OpenCall[] | undefined;
  /** Answers to pending calls that came since it was asked last. */
  readonly answers?: (() => readonly OpenCall[]) | undefined;
  /** Asked between calls under `skip-remaining`. */
  readonly hasSteering?: (() => boolean) | undefined;
}

/** Runs `fn` once after `ms`, unless the returned function is called first. */
export type Timer = (ms: number, fn: () => void) => () => void;

/** Time, chance and ids. The clock itself is `now`. */
export interface LoopClock {
  /** Without it there are no deadlines, retries do not wait, and only the signal ends a hang. */
  readonly timer?: Timer | undefined;
  /** In [0, 1), for the jitter of retries. Without it there is no jitter. */
  readonly random?: (() => number) | undefined;
  /** Makes ids of messages and tool calls. Without it they come from the turn id and the place in the transcript. */
  readonly newId?: (() => string) | undefined;
  /**
   * Asked between steps, calls and parts: the promise it returns is waited for. For a caller whose timers and other work must get their turn
   * though providers and tools never wait. Almost always it should return nothing.
   */
  readonly breathe?: (() => Promise<void> | undefined) | undefined;
}

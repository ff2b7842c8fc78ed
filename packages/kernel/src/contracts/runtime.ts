/** Input and result of `runTurn`: the loop is a function of these only. */
import type { ChatMessage, FinishReason, SerializedError, Usage } from "./conversation.ts";
import type { ToolDispatchPolicy } from "./dispatch.ts";
import type { AgentEvent, ConversationIds, PendingCall } from "./events.ts";
import type { LoopGuards } from "./guards.ts";
import type { Logger } from "./logging.ts";
import type { LoopClock, LoopContext, LoopJournal, LoopLimits } from "./loop.ts";
import type { OpenCall, TurnProgress } from "./progress.ts";
import type { ProviderContract, ProviderStreamOptions } from "./provider.ts";
import type { ToolContract } from "./tool.ts";

/** The part of a signal that the loop needs. Every `AbortSignal` qualifies. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

// `in` is stated because TypeScript infers another variance, and would accept a listener for other ids.

/** Receives each event, in order. Errors that it throws are ignored. */
export type EventEmitter<in Ids = ConversationIds> = (event: AgentEvent<Ids>) => void;

/** Optional fields may also be present as undefined: an input that always has the same fields is read faster. */
export interface RunTurnInput<in Ids = ConversationIds> {
  readonly provider: ProviderContract;
  /** History, with the system prompt as first message. Never changed, never copied. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolContract[];
  readonly dispatch: ToolDispatchPolicy;
  readonly emit: EventEmitter<Ids>;
  readonly conversationId: string;
  readonly turnId: string;
  /** Forwarded to the provider unchanged. */
  readonly providerOpts?: ProviderStreamOptions | undefined;
  readonly signal?: AbortSource | undefined;
  /** Forwarded to the tools unchanged; never part of the prompt. */
  readonly cwd?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Position in a trace that the turn was sent from, for the logger: a W3C `traceparent`. */
  readonly trace?: string | undefined;
  /** Time in milliseconds. Without it no event has a timing. */
  readonly now?: (() => number) | undefined;
  /** Called after a step whose tool calls have all settled and before the next step: the returned messages are appended. */
  readonly drainSteering?: (() => readonly ChatMessage[]) | undefined;
  /** Called with each finished step: the same objects as in the result. */
  readonly onStepComplete?:
    | ((messages: readonly ChatMessage[]) => Promise<void> | void)
    | undefined;
  /** New tail of the history, announced by `turn_start` and message events. */
  readonly input?: readonly ChatMessage[] | undefined;

  readonly limits?: LoopLimits | undefined;
  readonly guards?: LoopGuards | undefined;
  readonly context?: LoopContext | undefined;
  readonly journal?: LoopJournal | undefined;
  readonly clock?: LoopClock | undefined;
}

/** Outcome of a turn: its new messages, why it ended, and the calls that it waits for. */
export interface RunTurnResult {
  /** New messages after `input`, in transcript order. */
  readonly messages: readonly ChatMessage[];
  /** Total over all attempts of this call of `runTurn`, including failed ones. */
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly error?: SerializedError;
  /** Calls that wait for an answer from outside. */
  readonly pending?: readonly PendingCall[];
  /** With `pending`: every call of the unfinished step, to pass back as `journal.open` with the answers filled in. */
  readonly open?: readonly OpenCall[];
  /** To pass back as `journal.prior` in a turn that continues this one. */
  readonly progress: TurnProgress;
}

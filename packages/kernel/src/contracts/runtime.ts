/** Input and result of `runTurn`: the loop is a function of these and of nothing else. */
import type { ChatMessage, FinishReason, SerializedError, Usage } from "./conversation.ts";
import type { ToolDispatchPolicy } from "./dispatch.ts";
import type { AgentEvent, PendingCall } from "./events.ts";
import type { Logger } from "./logging.ts";
import type { LoopClock, LoopContext, LoopJournal, LoopLimits } from "./loop.ts";
import type { OpenCall, TurnProgress } from "./progress.ts";
import type { ProviderContract, ProviderStreamOptions } from "./provider.ts";
import type { ToolContract } from "./tool.ts";

/** What the loop needs of a signal. Every `AbortSignal` is one. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Takes each event outward, in order. What it throws is ignored. */
export type EventEmitter = (event: AgentEvent) => void;

/** What is optional may also be there as undefined: an input that always has the same fields is read faster. */
export interface RunTurnInput {
  readonly provider: ProviderContract;
  /** The history, with the system prompt as first message. Never changed, never copied. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolContract[];
  readonly dispatch: ToolDispatchPolicy;
  readonly emit: EventEmitter;
  readonly conversationId: string;
  readonly turnId: string;
  /** Forwarded to the provider as it is. */
  readonly providerOpts?: ProviderStreamOptions | undefined;
  readonly signal?: AbortSource | undefined;
  /** Forwarded to the tools as it is; never part of the prompt. */
  readonly cwd?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Milliseconds. Without it no event has a timing. */
  readonly now?: (() => number) | undefined;
  /** Called after a step whose tool calls have all settled and before the next: what it returns is appended. */
  readonly drainSteering?: (() => readonly ChatMessage[]) | undefined;
  /** Gets each finished step: the same objects that the result has. */
  readonly onStepComplete?:
    | ((messages: readonly ChatMessage[]) => Promise<void> | void)
    | undefined;
  /** The new tail of the history, announced by `turn_start` and message events. */
  readonly input?: readonly ChatMessage[] | undefined;

  readonly limits?: LoopLimits | undefined;
  readonly context?: LoopContext | undefined;
  readonly journal?: LoopJournal | undefined;
  readonly clock?: LoopClock | undefined;
}

export interface RunTurnResult {
  /** The new messages after `input`, in transcript order. */
  readonly messages: readonly ChatMessage[];
  /** Over all attempts of this call of `runTurn`, failed ones included. */
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly error?: SerializedError;
  /** Calls that wait for somebody outside. */
  readonly pending?: readonly PendingCall[];
  /** With `pending`: every call of the unfinished step, to be passed back as `journal.open` with the answers put in. */
  readonly open?: readonly OpenCall[];
  /** To be passed back as `journal.prior` by a turn that continues this one. */
  readonly progress: TurnProgress;
}

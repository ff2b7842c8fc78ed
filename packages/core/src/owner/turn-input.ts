/** Builds the kernel's input for a turn of a session. */
import type {
  AbortSource,
  ChatMessage,
  EventEmitter,
  Journal,
  LoopContext,
  LoopLimits,
  OpenCall,
  RunTurnInput,
  ToolDispatchPolicy,
} from "@capstan/kernel";
import type { NextAction, SessionFold, SessionIds, TurnOrigin } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { Clock } from "../platform/clock.ts";
import { OutputKeeper } from "../outputs/output-keeper.ts";
import { ContextProjection } from "../context/projection.ts";
import type { SessionFaults } from "../host/session-faults.ts";
import type { HeldLease } from "./held-lease.ts";
import { reportingHooks } from "./reported-hooks.ts";
import type { SessionLog } from "./session-log.ts";

export type TurnAction = Extract<NextAction, { readonly type: "start" | "continue" | "resume" }>;

interface TurnSurroundings {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly heldLease: HeldLease;
  readonly faults: Pick<SessionFaults, "report">;
}

/** Values and functions of the owner for this one turn. */
interface TurnParts {
  readonly origin: TurnOrigin;
  readonly messages: readonly ChatMessage[];
  readonly input: readonly ChatMessage[] | undefined;
  readonly open: readonly OpenCall[] | undefined;
  readonly signal: AbortSource;
  readonly record: Journal;
  readonly checkLimits: LoopLimits["checkLimits"];
  readonly makeRoom: LoopContext["makeRoom"];
  readonly onOverflow: LoopContext["onOverflow"];
  readonly emit: EventEmitter<SessionIds>;
}

export function toTurnInput(
  { log, clock, heldLease, faults }: TurnSurroundings,
  action: TurnAction,
  plan: TurnPlan,
  turn: TurnParts,
): RunTurnInput<SessionIds> {
  const { settings } = plan;
  const projection = new ContextProjection(log.fold.context);
  const keeper = new OutputKeeper({
    maxChars: plan.outputs.maxChars,
    canRead: plan.canReadOutputs,
    logger: settings.logger,
    putBlob: (bytes) => log.putBlob(bytes),
  });
  const { turn: fold } = log.fold;
  return {
    ...settings,
    conversationId: log.id,
    turnId: action.turnId,
    trace: turn.origin.trace,
    messages: turn.messages,
    input: turn.input,
    signal: turn.signal,
    emit: turn.emit,
    dispatch: new AbandonableDispatch(
      reportingHooks(settings.dispatch, (error) =>
        faults.report({ error, where: "hook", sessionId: log.id, turnId: action.turnId }),
      ),
      log,
      action.turnId,
    ),
    drainSteering: () => log.fold.queues.nextSteering().map((item) => item.message),
    now: clock.now,
    clock,
    limits: { ...settings.limits, checkLimits: turn.checkLimits },
    context: {
      ...settings.context,
      makeRoom: turn.makeRoom,
      onOverflow: turn.onOverflow,
      boundResult: (call, toolResult) => keeper.bound(call, toolResult),
      project: (messages) => {
        // A request is an effect, and the log may have another owner's entries by now.
        heldLease.check(log.now());
        return projection.show(messages);
      },
    },
    journal: {
      record: turn.record,
      // Events of entries are emitted when the entry is folded.
      isShown: true,
      incarnation: log.fold.created?.incarnation,
      continues: action.type === "continue" ? action.continues : undefined,
      prior: action.type === "start" ? undefined : fold?.prior(action.type === "resume"),
      open: turn.open,
      leftOut: log.fold.transcript.leftOut,
      answers: () => log.fold.answers(),
      hasSteering: () => log.fold.queues.nextSteering().length > 0,
    },
  };
}

/** Tools of an abandoned turn are not waited for. The kernel asks for the grace period when the turn is aborted. */
class AbandonableDispatch implements ToolDispatchPolicy {
  declare readonly mode?: NonNullable<ToolDispatchPolicy["mode"]>;
  declare readonly maxParallel?: number;
  declare readonly steering?: NonNullable<ToolDispatchPolicy["steering"]>;
  declare readonly before?: NonNullable<ToolDispatchPolicy["before"]>;
  declare readonly after?: NonNullable<ToolDispatchPolicy["after"]>;
  readonly #graceMs: number | undefined;
  readonly #log: SessionLog;
  readonly #turnId: string;

  constructor({ graceMs, ...policy }: ToolDispatchPolicy, log: SessionLog, turnId: string) {
    Object.assign(this, policy);
    this.#graceMs = graceMs;
    this.#log = log;
    this.#turnId = turnId;
  }

  get graceMs(): number {
    const isAbandoned = this.#log.fold.abandonReasonOf(this.#turnId) !== undefined;
    // Undefined stands for the kernel's default.
    return isAbandoned ? 0 : (this.#graceMs as number);
  }
}

/** History of a turn, and its new messages. */
export interface Tail {
  readonly messages: readonly ChatMessage[];
  readonly input: readonly ChatMessage[];
}

/** Returns the tail of a turn that starts, before its start is in the log. `posted`: the messages, if they are not there either. */
export function tailOf(
  action: TurnAction,
  fold: SessionFold,
  posted?: readonly ChatMessage[],
): Tail {
  if (action.type !== "start") return { messages: [], input: [] };
  const input = posted ?? fold.messagesOf(action.input);
  return { messages: fold.transcript.startPoint().messages, input };
}

/** Whether the other action, found later, is the same one. */
export function isSameAction(action: TurnAction, other: NextAction): boolean {
  return "turnId" in other && other.type === action.type && other.turnId === action.turnId;
}

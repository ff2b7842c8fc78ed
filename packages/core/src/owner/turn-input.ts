/** What the kernel is given to run a turn of a session with. */
import type { ChatMessage, RunTurnInput } from "@capstan/kernel";
import type { NextAction, SessionFold } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { Clock } from "../platform/clock.ts";
import { OutputKeeper } from "../outputs/output-keeper.ts";
import { ContextProjection } from "../context/projection.ts";
import type { HostFault } from "../host/host-fault.ts";
import type { Ownership } from "./ownership.ts";
import { reportingHooks } from "./reported-hooks.ts";
import type { SessionLog } from "./session-log.ts";

export type TurnAction = Extract<NextAction, { readonly type: "start" | "continue" | "resume" }>;

interface TurnSurroundings {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ownership: Ownership;
  onFault(fault: HostFault): void;
}

/** What of a turn's input its owner does, or has for this turn alone. */
type TurnParts = Pick<
  RunTurnInput,
  | "messages"
  | "input"
  | "open"
  | "signal"
  | "journal"
  | "makeRoom"
  | "checkLimits"
  | "recover"
  | "emit"
>;

/** All fields in one place and always the same ones: the loop reads it all the time. */
export function toTurnInput(
  { log, clock, ownership, onFault }: TurnSurroundings,
  action: TurnAction,
  plan: TurnPlan,
  turn: TurnParts,
): RunTurnInput {
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
    conversationId: log.id,
    incarnation: log.fold.created?.incarnation,
    turnId: action.turnId,
    messages: turn.messages,
    input: turn.input,
    open: turn.open,
    signal: turn.signal,
    journal: turn.journal,
    // What an entry tells is shown from the entry.
    showsFacts: false,
    makeRoom: turn.makeRoom,
    checkLimits: turn.checkLimits,
    recover: turn.recover,
    emit: turn.emit,
    continues: action.type === "continue" ? action.continues : undefined,
    prior: action.type === "start" ? undefined : fold?.prior(action.type === "resume"),
    provider: settings.provider,
    tools: settings.tools,
    dispatch: reportingHooks(settings.dispatch, (error) =>
      onFault({ error, where: "hook", sessionId: log.id, turnId: action.turnId }),
    ),
    providerOpts: settings.providerOpts,
    cwd: settings.cwd,
    logger: settings.logger,
    context: (messages) => {
      // A request is an effect, and what the log says by now may be of another owner.
      ownership.check(log.now());
      return projection.show(messages);
    },
    transformContext: settings.transformContext,
    convertToLlm: settings.convertToLlm,
    stopWhen: settings.stopWhen,
    maxSteps: settings.maxSteps,
    closing: settings.closing,
    checkAnswer: settings.checkAnswer,
    retry: settings.retry,
    deadlines: settings.deadlines,
    limits: settings.limits,
    checkMedia: settings.checkMedia,
    boundResult: (call, toolResult) => keeper.bound(call, toolResult),
    now: clock.now,
    timer: clock.timer,
    breathe: clock.breathe,
    random: clock.random,
    drainSteering: () => log.fold.queues.nextSteering().map((item) => item.message),
    hasSteering: () => log.fold.queues.nextSteering().length > 0,
    answers: () => log.fold.answers(),
  };
}

/** The history and the new messages of a turn that starts, as long as its start is not in the log. */
export function tailOf(
  action: TurnAction,
  fold: SessionFold,
): { readonly messages: readonly ChatMessage[]; readonly input: readonly ChatMessage[] } {
  if (action.type !== "start") return { messages: [], input: [] };
  const input = fold.messagesOf(action.input);
  return { messages: fold.transcript.startPoint().messages, input };
}

/** Whether the other action is the same one, as found again later. */
export function isSameAction(action: TurnAction, other: NextAction): boolean {
  return "turnId" in other && other.type === action.type && other.turnId === action.turnId;
}

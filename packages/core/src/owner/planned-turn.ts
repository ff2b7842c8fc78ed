/** Plans of the owner's turns: with which settings a turn is planned, an abort in the meantime, and the disposal. */
import { background } from "@capstan/kernel";
import type { MaybePromise, SessionFold, TurnOrigin } from "@capstan/log";
import { isPromise } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { GivenObjects } from "../models/given-objects.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import type { Clock } from "../platform/clock.ts";
import { within } from "../platform/within.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { AbortSwitch } from "./abort-switch.ts";
import type { TurnToPlan } from "./context-of-turn.ts";
import { contextOf } from "./context-of-turn.ts";
import type { SessionLog } from "./session-log.ts";

export interface PlanningOptions {
  readonly agent: Agent;
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly sessionScope: DependencyScope;
  readonly outputs: OutputReader;
  /** With models and tools passed to the session in this process, which may change between turns. */
  readonly session: { readonly given: GivenObjects };
}

export function planTurnOf(
  { agent, log, clock, sessionScope, outputs, session }: PlanningOptions,
  turn: TurnToPlan,
): MaybePromise<TurnPlan> {
  const { config, origin } = turn;
  const { options: overrides } = origin;
  return agent.plan({
    context: contextOf(log, turn),
    sessionScope,
    outputs,
    given: session.given,
    spent: () => spentOn(log.fold, turn.turnId),
    isPriced: isPriced(log.fold, origin),
    prompt: log.fold.prompt,
    needed: neededTools(log),
    ...(overrides && { overrides }),
    config,
    now: clock.now,
    timer: clock.timer,
  });
}

/** Names of the tools whose calls are not settled. */
function neededTools({ fold }: SessionLog): readonly string[] {
  const { step } = fold.transcript;
  if (step === undefined || step.isSettled) return [];
  return step.message.content.flatMap((part) => (part.type === "tool_call" ? part.name : []));
}

/** Cost of the chain of turns so far, and what its children in the background may still cost. */
function spentOn({ turn: last, children }: SessionFold, turnId: string): number | undefined {
  // The last turn of the log is an earlier one until the start of this one is stored.
  const turn = last?.turnId === turnId ? last : undefined;
  const { cost } = children.reservedIn(turn?.rootId);
  return cost === 0 ? turn?.chainCost : cost + (turn?.chainCost ?? 0);
}

/** Whether the turn works on a call of a parent that limits its cost. */
function isPriced({ tasks }: SessionFold, { call, budget }: TurnOrigin): boolean {
  if (call === undefined) return false;
  return (budget ?? tasks.budgetFor(call)?.budget)?.cost !== undefined;
}

/** Plan for a turn that was aborted before it began. */
export function planAborted({ agent, log }: PlanningOptions, turn: TurnToPlan): TurnPlan {
  return agent.planNothing(contextOf(log, turn));
}

/** A turn that was aborted before it was planned needs no plan: it ends at once. */
export function orAborted(
  planned: Promise<TurnPlan>,
  abort: AbortSwitch,
  options: PlanningOptions,
  turn: TurnToPlan,
): Promise<TurnPlan> {
  return new Promise((resolve, reject) => {
    planned.then(resolve, reject);
    abort.addEventListener("abort", () => {
      resolve(planAborted(options, turn));
      background(
        planned.then((plan) => plan.dispose()),
        () => {},
      );
    });
  });
}

export function disposePlan({ agent, clock }: PlanningOptions, plan: TurnPlan): MaybePromise<void> {
  const disposed = plan.dispose();
  if (!isPromise(disposed)) return;
  // The scope logs errors of `dispose`. One that hangs must not delay the next turn.
  return within(clock.timer, agent.callbackMs, disposed, "dispose").catch(() => {});
}

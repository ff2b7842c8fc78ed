/** Plans of the owner's turns: with which settings a turn is planned, an abort in the meantime, and the disposal. */
import { background } from "@capstan/kernel";
import type { MaybePromise, SessionConfig, SessionFold, StoredTurnOverrides } from "@capstan/log";
import { isPromise } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { GivenObjects } from "../models/given-objects.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import type { Clock } from "../platform/clock.ts";
import { within } from "../platform/within.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { AbortSwitch } from "./abort-switch.ts";
import type { SessionLog } from "./session-log.ts";
import type { TurnAction } from "./turn-input.ts";

export interface PlanningOptions {
  readonly agent: Agent;
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly sessionScope: DependencyScope;
  readonly outputs: OutputReader;
  /** Models and tools passed to the session in this process. */
  given(): GivenObjects;
}

/** Plans with the current configuration; a resumed turn keeps the one it started with. */
export function planAction(options: PlanningOptions, action: TurnAction): MaybePromise<TurnPlan> {
  const { fold } = options.log;
  const config = action.type === "resume" ? fold.turn?.config : fold.config;
  return planWith(options, config, optionsOf(action, fold));
}

export function planWith(
  { agent, log, clock, sessionScope, outputs, given }: PlanningOptions,
  config: SessionConfig | undefined,
  overrides?: StoredTurnOverrides,
): MaybePromise<TurnPlan> {
  return agent.plan({
    sessionId: log.id,
    sessionScope,
    isOfSession: true,
    outputs,
    given: given(),
    spent: () => log.fold.turn?.chainCost,
    prompt: log.fold.prompt,
    ...(overrides && { overrides }),
    ...(config && { config }),
    now: clock.now,
    timer: clock.timer,
  });
}

/** A turn that was aborted before it was planned needs no plan: it ends at once. */
export function orAborted(
  agent: Agent,
  planned: Promise<TurnPlan>,
  abort: AbortSwitch,
): Promise<TurnPlan> {
  return new Promise((resolve, reject) => {
    planned.then(resolve, reject);
    abort.addEventListener("abort", () => {
      resolve(agent.planNothing());
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

/** Options that a turn was sent with. A turn started only by queued messages has none. */
function optionsOf(action: TurnAction, fold: SessionFold): StoredTurnOverrides | undefined {
  if (action.type !== "start") return fold.turn?.options;
  const { acceptedInput: input } = fold;
  return input !== undefined && action.input.includes(input.id) ? input.options : undefined;
}

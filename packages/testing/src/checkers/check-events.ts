/** Checks the events of one turn, and reports each problem with its index. */
import type { AgentEvent, EventIds } from "@capstan/kernel";
import type { EventProblem } from "./event-problem.ts";
import { checkExecutions } from "./events-executions.ts";
import { checkFrame } from "./events-frame.ts";
import { checkMessages } from "./events-messages.ts";
import { checkSteps } from "./events-steps.ts";
import { throwIfAny } from "./problem.ts";

/** Options of `checkEvents`. */
export interface EventOptions {
  /** True if the turn started earlier, so that it begins without `turn_start`. */
  readonly isResumed?: boolean;
  /** Number of earlier attempts of its first step, as in the turn's `prior`. */
  readonly attemptsInStep?: number;
}

/** Returns all problems, ordered by index. The events are those of one whole turn. */
export function checkEvents(
  events: readonly AgentEvent<EventIds>[],
  { isResumed = false, attemptsInStep = 0 }: EventOptions = {},
): EventProblem[] {
  return [
    ...checkFrame(events, isResumed),
    ...checkSteps(events, attemptsInStep),
    ...checkMessages(events),
    ...checkExecutions(events),
  ].toSorted((a, b) => a.index - b.index);
}

/** Throws one error that lists every problem. */
export function assertValidEvents(
  events: readonly AgentEvent<EventIds>[],
  options: EventOptions = {},
): void {
  throwIfAny("The events of the turn are not valid", checkEvents(events, options));
}

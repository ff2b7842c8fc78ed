/** Rules for steps and attempts: steps increase, attempts count from 1, each attempt opens an assistant message. */
import type { AgentEventBody } from "@capstan/kernel";
import { EventProblems } from "./event-problem.ts";
import type { EventProblem } from "./event-problem.ts";

export function checkSteps(
  events: readonly AgentEventBody[],
  attemptsInStep: number,
): EventProblem[] {
  const order = new StepOrder(attemptsInStep);
  for (const [index, event] of events.entries()) order.take(index, event, events);
  return order.problems.found;
}

type EventOf<Type extends AgentEventBody["type"]> = Extract<
  AgentEventBody,
  { readonly type: Type }
>;

class StepOrder {
  readonly problems = new EventProblems();
  #openStep: number | undefined;
  #lastStep: number | undefined;
  #openAttempt: number | undefined;
  #lastAttempt = 0;
  /** Attempts that an earlier process made of the step in which these events begin. */
  readonly #earlierAttempts: number;

  constructor(earlierAttempts: number) {
    this.#earlierAttempts = earlierAttempts;
  }

  take(index: number, event: AgentEventBody, events: readonly AgentEventBody[]): void {
    switch (event.type) {
      case "step_start":
        return this.#startStep(index, event);
      case "step_end":
        return this.#endStep(index, event);
      case "attempt_start":
        return this.#startAttempt(index, event, events[index + 1]);
      case "attempt_discarded":
        return this.#discardAttempt(index, event);
      case "message_start":
        if (event.role === "assistant" && events[index - 1]?.type !== "attempt_start") {
          this.problems.add(index, event, "attempt-order", "no attempt_start comes before it");
        }
        return;
      case "message_end":
        if (event.message.role === "assistant") this.#openAttempt = undefined;
        return;
      case "turn_end":
        return this.#endTurn(index, event);
      default:
    }
  }

  #startStep(index: number, event: EventOf<"step_start">): void {
    if (this.#openStep !== undefined) {
      this.problems.add(index, event, "step-order", `step ${this.#openStep} has not ended`);
    }
    if (this.#lastStep !== undefined && event.step <= this.#lastStep) {
      const text = `step ${event.step} comes after step ${this.#lastStep}`;
      this.problems.add(index, event, "step-order", text);
    }
    this.#openStep = this.#lastStep = event.step;
    this.#openAttempt = undefined;
    this.#lastAttempt = 0;
  }

  #endStep(index: number, event: EventOf<"step_end">): void {
    // A turn that resumes in the middle of a step shows only its end.
    const isEntered = this.#lastStep === undefined;
    if (event.step !== this.#openStep && !isEntered) {
      this.problems.add(index, event, "step-order", `step ${event.step} is not in progress`);
    }
    this.#openStep = undefined;
    this.#lastStep = event.step;
    this.#openAttempt = undefined;
  }

  #startAttempt(
    index: number,
    event: EventOf<"attempt_start">,
    next: AgentEventBody | undefined,
  ): void {
    if (this.#earlierAttempts > 0 && this.#lastStep === undefined) {
      // The process that made the first attempt has shown the start of the step.
      this.#openStep = this.#lastStep = event.step;
      this.#lastAttempt = this.#earlierAttempts;
    }
    if (event.step !== this.#openStep) {
      this.problems.add(index, event, "attempt-order", `step ${event.step} is not in progress`);
    }
    if (this.#openAttempt !== undefined) {
      this.problems.add(
        index,
        event,
        "attempt-order",
        `attempt ${this.#openAttempt} has not ended`,
      );
    }
    const due = this.#lastAttempt + 1;
    if (event.attempt !== due) {
      const text = `attempt ${event.attempt} comes instead of attempt ${due}`;
      this.problems.add(index, event, "attempt-order", text);
    }
    if (next?.type !== "message_start" || next.role !== "assistant") {
      const text = "no message_start of an assistant follows";
      this.problems.add(index, event, "attempt-order", text);
    }
    this.#openAttempt = this.#lastAttempt = event.attempt;
  }

  #discardAttempt(index: number, event: EventOf<"attempt_discarded">): void {
    if (event.step !== this.#openStep || event.attempt !== this.#openAttempt) {
      const text = `attempt ${event.attempt} of step ${event.step} is not in progress`;
      this.problems.add(index, event, "attempt-order", text);
    }
    this.#openAttempt = undefined;
  }

  /** A suspended turn leaves its step open, for the turn that continues it. */
  #endTurn(index: number, event: EventOf<"turn_end">): void {
    const isSuspended = (event.pending ?? []).length > 0;
    if (this.#openStep === undefined || isSuspended) return;
    this.problems.add(index, event, "step-order", `step ${this.#openStep} has not ended`);
  }
}

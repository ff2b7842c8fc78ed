/** One step after its reply: the message, its calls, and how it is closed. */
import type { AssistantMessage, FinishReason } from "./contracts/conversation.ts";
import type { StepTiming } from "./contracts/events.ts";
import type { Span } from "./contracts/logging.ts";
import { StepCalls } from "./step-calls.ts";
import { toToolMessage } from "./tool-result.ts";
import type { TurnState } from "./turn-state.ts";

export class Step {
  readonly number: number;
  readonly message: AssistantMessage;
  readonly calls: StepCalls;
  readonly timing: StepTiming | undefined;
  readonly span: Span | undefined;

  constructor(
    turn: TurnState,
    number: number,
    message: AssistantMessage,
    timing?: StepTiming,
    span?: Span,
  ) {
    this.number = number;
    this.message = message;
    this.calls = new StepCalls(turn, number, message);
    this.timing = timing;
    this.span = span;
  }

  /** All calls have their results: they become messages in call order, and the step is over. */
  complete(turn: TurnState): Promise<void> | void {
    const results = this.calls.runs.flatMap((run) =>
      run.result === undefined ? [] : [toToolMessage(run.call, run.result)],
    );
    for (const message of results) {
      turn.push(message);
      turn.emitMessage(message);
    }
    endStep(turn, this);
    const { onStepComplete } = turn.input;
    if (onStepComplete === undefined) return;
    // An abort does not cut this short: the caller is storing the step.
    return turn.callbacks.callToEnd("onStepComplete", () =>
      onStepComplete([this.message, ...results]),
    );
  }
}

/** What `step_end` tells. */
interface EndedStep {
  readonly number: number;
  readonly message: Pick<AssistantMessage, "stopReason" | "usage">;
  readonly timing: StepTiming | undefined;
  readonly span: Span | undefined;
}

export function endStep(turn: TurnState, step: EndedStep): void {
  const { conversationId, turnId } = turn;
  const finishReason: FinishReason = step.message.stopReason;
  turn.emit({
    type: "step_end",
    conversationId,
    turnId,
    step: step.number,
    finishReason,
    ...(step.message.usage !== undefined && { usage: step.message.usage }),
    ...(step.timing !== undefined && { timing: step.timing }),
  });
  step.span?.end();
}

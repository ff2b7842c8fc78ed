/** One step after its reply: the message, its calls, and how it is closed. */
import type { AssistantMessage } from "../contracts/conversation.ts";
import type { StepTiming } from "../contracts/events.ts";
import { StepCalls } from "./step-calls.ts";
import { refusal } from "./tool-result.ts";
import type { TurnState } from "../turn/turn-state.ts";

export class Step {
  readonly message: AssistantMessage;
  readonly calls: StepCalls;
  readonly #timing: StepTiming | undefined;
  readonly #isClosing: boolean;

  constructor(turn: TurnState, number: number, message: AssistantMessage, timing?: StepTiming) {
    this.message = message;
    this.calls = new StepCalls(turn, number, message);
    this.#timing = timing;
    this.#isClosing = turn.isClosing;
  }

  /** Why none of its calls may run, if that is so. */
  get objection(): string | undefined {
    switch (this.message.stopReason) {
      case "length":
        return refusal.cutOff;
      case "content-filter":
        return refusal.filtered;
      default:
        return this.#isClosing ? refusal.closing : undefined;
    }
  }

  /** All calls have their results: they become messages in call order, and the step is over. */
  complete(turn: TurnState): Promise<void> | void {
    turn.step = undefined;
    const results = this.calls.messages();
    for (const message of results) {
      turn.transcript.push(message);
      turn.emitMessage(message);
    }
    const { stopReason: finishReason, usage } = this.message;
    turn.endStep({ finishReason, usage, timing: this.#timing });
    const { onStepComplete } = turn.input;
    if (onStepComplete === undefined) return;
    // An abort does not cut this short: the caller is storing the step.
    return turn.callbacks.callToEnd("onStepComplete", () =>
      onStepComplete([this.message, ...results]),
    );
  }
}

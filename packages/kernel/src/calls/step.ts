/** One step after its reply: the message, its calls, and how the step ends. */
import type { AssistantMessage } from "../contracts/conversation.ts";
import { StepCalls } from "./step-calls.ts";
import { refusal } from "./tool-result.ts";
import type { TurnState } from "../turn/turn-state.ts";

export class Step {
  readonly message: AssistantMessage;
  readonly calls: StepCalls;
  readonly #isClosing: boolean;

  constructor(turn: TurnState, number: number, message: AssistantMessage) {
    this.message = message;
    this.calls = new StepCalls(turn, number, message);
    this.#isClosing = turn.isClosing;
  }

  /** Reason why none of its calls may run, if there is one. */
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

  /** Completes the step: all calls have results, which become messages in call order. */
  complete(turn: TurnState): Promise<void> | void {
    turn.step = undefined;
    const results = this.calls.messages();
    for (const message of results) turn.transcript.push(message);
    turn.endStep();
    const { onStepComplete } = turn.input;
    if (onStepComplete === undefined) return;
    // An abort does not interrupt this: the caller is storing the step.
    return turn.callbacks.callToEnd("onStepComplete", () =>
      onStepComplete([this.message, ...results]),
    );
  }
}

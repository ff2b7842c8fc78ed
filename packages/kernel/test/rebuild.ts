/** State that the facts of a turn amount to: how a caller that stored them continues after a crash. */
import { addUsage, toToolMessage } from "@capstan/kernel";
import type {
  AssistantMessage,
  ChatMessage,
  Fact,
  OpenCall,
  PendingCall,
  PriorProgress,
  ToolCallPart,
  Usage,
} from "@capstan/kernel";

export interface Rebuilt {
  /** The new messages, as far as their steps are closed, and the assistant message of an open step. */
  readonly messages: readonly ChatMessage[];
  /** The calls of the step that was open when the facts ended. */
  readonly open: readonly OpenCall[] | undefined;
  readonly prior: PriorProgress;
  /** The end is recorded: nothing is left to do. */
  readonly isOver: boolean;
}

export function rebuild(facts: readonly Fact[]): Rebuilt {
  const fold = new Fold();
  for (const fact of facts) fold.take(fact);
  return fold.result();
}

class Fold {
  readonly #messages: ChatMessage[] = [];
  #step: AssistantMessage | undefined;
  readonly #calls = new Map<string, OpenCall>();
  #steps = 0;
  #attempts = 0;
  #attemptsInStep = 0;
  #isAttemptOpen = false;
  #usage: Usage = {};
  #isOver = false;

  take(fact: Fact): void {
    switch (fact.type) {
      case "attempt":
        this.#closeStep();
        this.#attempts += 1;
        this.#attemptsInStep += 1;
        this.#isAttemptOpen = true;
        return;
      case "attempt_ended":
        this.#isAttemptOpen = false;
        this.#usage = addUsage(this.#usage, fact.usage ?? { unreportedAttempts: 1 });
        return;
      case "message":
        return this.#takeMessage(fact.message);
      case "pending":
        return this.#wait(fact.pending);
      case "tool_intent": {
        const { toolCallId, key, input } = fact;
        this.#calls.set(toolCallId, {
          toolCallId,
          state: "started",
          key,
          ...(input !== undefined && { input }),
        });
        return;
      }
      case "suspended": {
        const { toolCallId, pending } = fact;
        this.#calls.set(toolCallId, { toolCallId, state: "suspended", pending });
        this.#usage = addUsage(this.#usage, fact.usage ?? {});
        return;
      }
      case "tool_result": {
        const { toolCallId, result } = fact;
        this.#calls.set(toolCallId, { toolCallId, state: "settled", result, isRecorded: true });
        this.#usage = addUsage(this.#usage, fact.usage ?? {});
        return;
      }
      case "nested_result":
        this.#usage = addUsage(this.#usage, fact.usage ?? {});
        return;
      case "nested_intent":
        return;
      case "step_prepared":
        this.#closeStep();
        this.#messages.push(...(fact.messages ?? []));
        return;
      case "input_rejected":
        return;
      case "steering_delivered":
        this.#closeStep();
        this.#messages.push(...fact.messages);
        return;
      case "turn_ended":
        if (fact.pending === undefined) this.#closeStep();
        this.#isOver = true;
        return;
      default:
        fact satisfies never;
    }
  }

  result(): Rebuilt {
    const { messages, open } = { messages: this.#messages, open: [...this.#calls.values()] };
    const unfinished: Usage = this.#isAttemptOpen ? { unreportedAttempts: 1 } : {};
    return {
      messages,
      open: this.#step === undefined || open.length === 0 ? undefined : open,
      prior: {
        steps: this.#steps,
        attempts: this.#attempts,
        attemptsInStep: this.#attemptsInStep,
        usage: addUsage(this.#usage, unfinished),
        isResumed: true,
      },
      isOver: this.#isOver,
    };
  }

  #takeMessage(message: ChatMessage): void {
    this.#closeStep();
    this.#messages.push(message);
    // A rejected reply is a step too.
    const isRejected = message.role === "user" && message.source === "guard";
    if (message.role === "assistant" || isRejected) {
      this.#steps += 1;
      this.#attemptsInStep = 0;
    }
    if (message.role !== "assistant") return;
    this.#step = message;
    for (const { id: toolCallId } of callsOf(message))
      this.#calls.set(toolCallId, { toolCallId, state: "fresh" });
  }

  #wait(calls: readonly PendingCall[]): void {
    for (const pending of calls) {
      const toolCallId = pending.toolCallId;
      this.#calls.set(toolCallId, { toolCallId, state: "pending", pending });
    }
  }

  /** The results become messages, in call order. */
  #closeStep(): void {
    if (this.#step === undefined) return;
    for (const call of callsOf(this.#step)) {
      const known = this.#calls.get(call.id);
      if (known?.state !== "settled")
        throw new Error(`${call.id} has no result, but its step is over`);
      this.#messages.push(toToolMessage(call, known.result));
    }
    this.#step = undefined;
    this.#calls.clear();
  }
}

function callsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content
    .filter((part) => part.type === "tool_call")
    .filter((call) => call.isProviderExecuted !== true);
}

/** Records of the calls that a tool makes itself, kept from run to run of the tool. */
import type { JsonValue } from "../contracts/conversation.ts";
import type { Answered, NestedCall, Resumption } from "../contracts/progress.ts";
import type { ToolResult } from "../contracts/tool.ts";

export class NestedRecords {
  readonly #calls = new Map<string, NestedCall>();
  /** Answers to calls that had to wait. */
  readonly #answers = new Map<string, Answered>();

  get all(): readonly NestedCall[] {
    return [...this.#calls.values()];
  }

  add(call: NestedCall): void {
    this.#calls.set(call.toolCallId, call);
  }

  /** Returns what is recorded about the call. A call with another tool or input is another call. */
  find(toolCallId: string, hash: string): NestedCall | undefined {
    const known = this.#calls.get(toolCallId);
    return known?.hash === hash ? known : undefined;
  }

  settle(toolCallId: string, hash: string, result: ToolResult): void {
    this.#calls.set(toolCallId, { toolCallId, hash, state: "settled", result });
    this.#answers.delete(toolCallId);
  }

  answer(toolCallId: string): Answered | undefined {
    return this.#answers.get(toolCallId);
  }

  /** Takes the answers that a run continues with. Returns what the tool itself had asked and kept before, if it had. */
  resume({ state, answers }: Resumption): Resumption | undefined {
    // As `toState` made it.
    const kept = state as unknown as NestedState;
    for (const answer of [...kept.answers, ...answers]) {
      this.#answers.set(answer.toolCallId, answer);
    }
    return kept.resumed ?? undefined;
  }

  /** State of a suspension by nested calls: answers that no call has taken yet, and what the tool itself continued with. */
  toState(resumed: Resumption | undefined): JsonValue {
    const state: NestedState = { resumed: resumed ?? null, answers: [...this.#answers.values()] };
    // Answers and resumptions are JSON.
    return state as unknown as JsonValue;
  }
}

interface NestedState {
  readonly resumed: Resumption | null;
  readonly answers: readonly Answered[];
}

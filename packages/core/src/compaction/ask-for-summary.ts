/** Asks a model for a summary through the loop of turns: same attempts, retries and deadlines, but no tool runs. */
import type {
  ChatMessage,
  Fact,
  RunTurnInput,
  RunTurnResult,
  SerializedError,
  Usage,
} from "@capstan/kernel";
import { runTurn, serializeError } from "@capstan/kernel";
import { AgentError } from "../errors/agent-error.ts";
import { addCost } from "../models/cost-of-fact.ts";

/** Result of the request, with its usage. */
export type Answered = {
  readonly usage: Usage;
  readonly cost: number | undefined;
  /** Name of the model that was asked last, if the provider has fallbacks. */
  readonly model?: string | undefined;
} & (
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "failed"; readonly error: SerializedError }
  | { readonly type: "aborted" }
);

export interface SummaryRequest {
  /** Messages of whole steps. */
  readonly messages: readonly ChatMessage[];
  readonly prompt: string;
  readonly loop: Omit<RunTurnInput, "messages" | "dispatch" | "emit">;
  cost(usage: Usage | undefined, name?: string): number | undefined;
}

/**
 * Runs a turn without steps: only its closing step, in which no tool may be called. The request has the same prefix as those of the conversation, so
 * the vendor's cache holds.
 */
export async function askForSummary(request: SummaryRequest): Promise<Answered> {
  let cost: number | undefined;
  let model: string | undefined;
  let ids = 0;
  const tally = (facts: readonly Fact[]): void => {
    for (const fact of facts) {
      if (fact.type !== "attempt_ended") continue;
      cost = addCost(cost, request.cost(fact.usage, fact.model));
      model = fact.model;
    }
  };
  const result = await runTurn({
    ...request.loop,
    messages: request.messages,
    dispatch: {},
    emit: () => {},
    journal: { record: tally },
    // Ids derived from positions in the transcript belong to the conversation.
    clock: { ...request.loop.clock, newId: () => `${request.loop.turnId}_summary_${++ids}` },
    // Budgets are for the turns of the session.
    limits: {
      ...request.loop.limits,
      checkLimits: undefined,
      maxSteps: 0,
      closing: { prompt: request.prompt },
    },
  });
  return { usage: result.usage, cost, model, ...toAnswer(result) };
}

type Answer =
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "failed"; readonly error: SerializedError }
  | { readonly type: "aborted" };

function toAnswer({ finishReason, error, messages }: RunTurnResult): Answer {
  if (finishReason === "aborted") return { type: "aborted" };
  if (error !== undefined) return { type: "failed", error };
  const reply = messages.findLast((message) => message.role === "assistant");
  const text = reply?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
  const isWhole = reply?.stopReason === "stop" && text.trim() !== "";
  if (isWhole) return { type: "summary", text: text.trim() };
  return { type: "failed", error: serializeError(noSummary(reply?.stopReason)) };
}

function noSummary(stopReason: string | undefined): AgentError {
  const what =
    stopReason === undefined || stopReason === "stop"
      ? "said nothing"
      : `ended its reply with "${stopReason}"`;
  const message = `The model that was asked for a summary ${what}: compact with another model, or keep fewer steps`;
  return new AgentError("no_summary", message);
}

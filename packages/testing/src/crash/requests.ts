/** What a model was asked, as far as it can be held against a log. */
import type { ProviderRequest } from "@capstan/kernel";
import { agesIn } from "./ages.ts";

export interface SeenRequest {
  readonly sessionId: string;
  /** Ages of the sessions that its messages name, where there are several of one id. */
  readonly ages: readonly number[];
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  /** Whether it is not of a step, but for a summary. */
  readonly isSummary: boolean;
  /** Of the messages. */
  readonly ids: readonly string[];
  readonly instructions: string | undefined;
  /** Their names: in a scenario a name stands for one tool. */
  readonly tools: readonly string[];
  readonly model: string | undefined;
  readonly thinkingLevel: string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
}

export function toSeenRequest(request: ProviderRequest, hasAges: boolean): SeenRequest {
  const { conversationId: sessionId, turnId, step, attempt, tools, options } = request;
  const { systemPrompt: instructions, model, thinkingLevel, temperature, maxTokens } = options;
  return {
    sessionId,
    ages: hasAges ? agesIn(request.messages) : [],
    turnId,
    step,
    attempt,
    isSummary: request.toolChoice === "none",
    ids: request.messages.map(({ id }) => id),
    instructions,
    tools: tools.map(({ name }) => name),
    model,
    thinkingLevel,
    temperature,
    maxTokens,
  };
}

/** What a model was asked, as far as it can be held against a log. */
import type { ProviderRequest } from "@capstan/kernel";

export interface SeenRequest {
  readonly sessionId: string;
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

export function toSeenRequest(request: ProviderRequest): SeenRequest {
  const { conversationId: sessionId, turnId, step, attempt, tools, options } = request;
  const { systemPrompt: instructions, model, thinkingLevel, temperature, maxTokens } = options;
  return {
    sessionId,
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

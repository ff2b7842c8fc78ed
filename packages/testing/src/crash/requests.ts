/** A request to a model, reduced to fields that can be compared with a log. */
import type { ChatMessage, PartReference, ProviderRequest } from "@capstan/kernel";
import { agesIn } from "./ages.ts";

export interface SeenRequest {
  readonly sessionId: string;
  /** Ages of the sessions that its messages name, if there are several of one id. */
  readonly ages: readonly number[];
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  /** True if it asks for a summary instead of a step. */
  readonly isSummary: boolean;
  /** Ids of the messages. */
  readonly ids: readonly string[];
  /** Images, by message and part. */
  readonly images: readonly string[];
  readonly instructions: string | undefined;
  /** Tool names: in a scenario a name stands for one tool. */
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
    images: imagesIn(request.messages).map(nameOfPart),
    instructions,
    tools: tools.map(({ name }) => name),
    model,
    thinkingLevel,
    temperature,
    maxTokens,
  };
}

/** Images in messages of users and tools. */
export function imagesIn(messages: readonly ChatMessage[]): readonly PartReference[] {
  return messages.flatMap((message) => {
    if (message.role !== "user" && message.role !== "tool") return [];
    const { id: messageId, content } = message;
    if (typeof content === "string") return [];
    return content.flatMap(({ type }, part) => (type === "image" ? { messageId, part } : []));
  });
}

export function nameOfPart({ messageId, part }: PartReference): string {
  return `${messageId}, part ${part}`;
}

/** `@capstan/providers/complete`: one answer of a model, without a session, an agent or a loop. */
import type {
  AssistantMessage,
  ChatMessage,
  FinishReason,
  JsonValue,
  ProviderContract,
  ProviderErrorCode,
  ProviderStreamOptions,
  RunTurnResult,
  ToolDeclaration,
  Usage,
} from "@capstan/kernel";
import { ProviderError, runTurn } from "@capstan/kernel";
import { keepFailure } from "./projection/kept-failure.ts";

export interface CompletionRequest {
  readonly messages: readonly ChatMessage[];
  /** What the model may ask for. Nothing is run: the calls are in the answer. */
  readonly tools?: readonly ToolDeclaration[];
  readonly options?: ProviderStreamOptions;
  readonly signal?: AbortSignal;
}

export interface Completion {
  /** One message; more where the model paused and was asked to go on. */
  readonly messages: readonly AssistantMessage[];
  readonly usage: Usage;
  readonly stopReason: FinishReason;
  /** What the provider said about the last message besides its content. */
  readonly metadata?: JsonValue;
}

/**
 * Asks once. Throws the `ProviderError` of the provider if that fails, and the reason of the signal if it fires. Nothing is retried: that is for the
 * caller, who can tell by `retryable` and `retryAfterMs`.
 */
export async function complete(
  provider: ProviderContract,
  { messages, tools = [], options, signal }: CompletionRequest,
): Promise<Completion> {
  signal?.throwIfAborted();
  const kept = keepFailure(provider);
  const result = await runTurn({
    provider: kept.provider,
    messages,
    tools: tools.map(toDeclaration),
    dispatch: {},
    emit: () => {},
    conversationId: "completion",
    turnId: newId(),
    clock: { newId },
    providerOpts: options,
    signal,
    limits: {
      // Calls that cannot wait for anybody, because they are malformed, would otherwise be answered and lead to a second step.
      stopWhen: () => true,
    },
  });
  signal?.throwIfAborted();
  if (result.finishReason === "error") throw failureOf(result, kept.thrown());
  return toCompletion(result);
}

/** Without what would run it. */
function toDeclaration({ name, description, inputSchema }: ToolDeclaration): ToolDeclaration {
  return { name, description, inputSchema };
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** The provider's own error, or what the kernel has found wrong with the stream. */
function failureOf({ error }: RunTurnResult, thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // The kernel writes the code of a `ProviderError` down, and throws no other error about a stream.
  const code = (error?.code ?? "protocol") as ProviderErrorCode;
  return new ProviderError(code, error?.message ?? "The provider failed and did not say why");
}

function toCompletion({ messages, usage, finishReason }: RunTurnResult): Completion {
  const replies = messages.filter((message) => message.role === "assistant");
  const last = replies.at(-1);
  return {
    messages: replies,
    usage,
    stopReason: last?.stopReason ?? finishReason,
    ...(last?.metadata !== undefined && { metadata: last.metadata }),
  };
}

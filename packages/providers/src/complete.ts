/** `@capstan/providers/complete`: one answer from a model, without a session, an agent or a loop. */
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

/** One request to a model. */
export interface CompletionRequest {
  readonly messages: readonly ChatMessage[];
  /** Tools the model may call. None is run: the calls are in the answer. */
  readonly tools?: readonly ToolDeclaration[];
  readonly options?: ProviderStreamOptions;
  readonly signal?: AbortSignal;
}

/** Answer of a model to one request. */
export interface Completion {
  /** One message; more if the model paused and was asked to continue. */
  readonly messages: readonly AssistantMessage[];
  readonly usage: Usage;
  readonly stopReason: FinishReason;
  /** Facts the provider reported about the last message besides its content. */
  readonly metadata?: JsonValue;
}

/**
 * Makes one request. Throws the provider's `ProviderError` if it fails, and the signal's reason if it fires. Does not retry: the caller
 * can, guided by `retryable` and `retryAfterMs`.
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
      // Malformed calls cannot stay open: without this they would be answered and lead to a second step.
      stopWhen: () => true,
    },
  });
  signal?.throwIfAborted();
  if (result.finishReason === "error") throw failureOf(result, kept.thrown());
  return toCompletion(result);
}

/** Copies the declaration without `execute`. */
function toDeclaration({ name, description, inputSchema }: ToolDeclaration): ToolDeclaration {
  return { name, description, inputSchema };
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** The provider's own error, or the problem the kernel found in the stream. */
function failureOf({ error }: RunTurnResult, thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // The kernel stores the code of a `ProviderError`, and throws no other error about a stream.
  const code = (error?.code ?? "protocol") as ProviderErrorCode;
  return new ProviderError(code, error?.message ?? "The provider failed and gave no reason");
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

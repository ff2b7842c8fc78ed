/** Makes the handle of a turn: events for one reader, a response that always resolves, and an abort. */
import type { ChatMessage } from "./contracts/conversation.ts";
import type { AgentEvent } from "./contracts/events.ts";
import type { RunTurnResult } from "./contracts/runtime.ts";
import type { Turn, TurnResponse, TurnStatus } from "./contracts/turn.ts";
import { serializeError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";

/** What the work behind a turn gets: where to put events, and when to stop. */
export interface TurnWork {
  emit(event: AgentEvent): void;
  readonly signal: AbortSignal;
}

/** Starts `work` at once. It should not reject; if it does, that is the error of the response. */
export function startTurn<Output = unknown>(
  id: string,
  work: (turn: TurnWork) => Promise<TurnResponse<Output>>,
  signal?: AbortSignal,
): Turn<Output> {
  const queue = new EventQueue();
  const controller = new AbortController();
  const abort = (reason?: unknown): void => controller.abort(reason);
  const follow = (): void => abort(signal?.reason);
  if (signal?.aborted === true) follow();
  else signal?.addEventListener("abort", follow);
  const run = async (): Promise<TurnResponse<Output>> => {
    try {
      return await work({ emit: (event) => queue.push(event), signal: controller.signal });
    } catch (thrown) {
      return failedResponse(thrown);
    } finally {
      signal?.removeEventListener("abort", follow);
      queue.end();
    }
  };
  const response = run();
  return {
    id,
    events: queue,
    response,
    result: () => response,
    abort,
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  };
}

/** The result of the loop as callers of a turn see it. */
export function toTurnResponse(
  result: Omit<RunTurnResult, "open" | "progress">,
): TurnResponse<never> {
  const { messages, finishReason, usage, pending, error } = result;
  return {
    status: statusOf(result),
    text: lastText(messages),
    messages,
    finishReason,
    usage,
    ...(pending !== undefined && { pendingToolCalls: pending }),
    ...(error !== undefined && { error }),
  };
}

function statusOf({
  finishReason,
  pending,
}: Pick<RunTurnResult, "finishReason" | "pending">): TurnStatus {
  if (finishReason === "error") return "error";
  if (finishReason === "aborted") return "aborted";
  return pending === undefined ? "completed" : "awaiting_tool_execution";
}

function lastText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.content
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .join("");
}

function failedResponse(thrown: unknown): TurnResponse<never> {
  const error = serializeError(thrown);
  return { status: "error", text: "", messages: [], finishReason: "error", usage: {}, error };
}

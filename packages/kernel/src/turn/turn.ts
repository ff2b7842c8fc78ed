/** Creates the handle of a turn: events for one reader, a response that always resolves, and an abort. */
import type { AgentEvent, EventIds } from "../contracts/events.ts";
import type { RunTurnResult } from "../contracts/runtime.ts";
import type { Turn, TurnResponse, TurnStatus } from "../contracts/turn.ts";
import { serializeError } from "../errors/errors.ts";
import { EventQueue } from "../events/event-queue.ts";
import { answerOf } from "./answer.ts";

/** Arguments of a turn's work: where to send events, and when to stop. */
export interface TurnWork<Event extends AgentEvent<EventIds> = AgentEvent> {
  emit(event: Event): void;
  readonly signal: AbortSignal;
}

/** Starts `work` immediately. It should not reject; if it does, the rejection becomes the error of the response. */
export function startTurn<Output = unknown, Event extends AgentEvent<EventIds> = AgentEvent>(
  id: string,
  work: (turn: TurnWork<Event>) => Promise<TurnResponse<Output>>,
  signal?: AbortSignal,
): Turn<Output, Event> {
  const queue = new EventQueue<Event>();
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

/** Converts the loop's result to the response that callers of a turn see. */
export function toTurnResponse(
  result: Omit<RunTurnResult, "open" | "progress">,
): TurnResponse<never> {
  const { messages, finishReason, usage, pending, error } = result;
  const { text, hasAnswer, metadata } = answerOf(messages, finishReason);
  return {
    status: statusOf(result),
    text,
    hasAnswer,
    messages,
    finishReason,
    usage,
    ...(metadata !== undefined && { metadata }),
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

function failedResponse(thrown: unknown): TurnResponse<never> {
  const error = serializeError(thrown);
  return toTurnResponse({ messages: [], finishReason: "error", usage: {}, error });
}

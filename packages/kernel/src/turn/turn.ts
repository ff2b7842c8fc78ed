/** Creates the handle of a turn: events for one reader, a response that always resolves, and an abort. */
import type { AssistantPart, ToolContent, ToolContentPart } from "../contracts/conversation.ts";
import type { AgentEvent, EventIds } from "../contracts/events.ts";
import type { RunTurnResult } from "../contracts/runtime.ts";
import type { Turn, TurnResponse, TurnStatus } from "../contracts/turn.ts";
import { serializeError } from "../errors/errors.ts";
import { EventQueue } from "../events/event-queue.ts";

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
  return {
    status: statusOf(result),
    text: textOf(result),
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

/** Text of the last reply; or of the results, if the turn ended with terminal calls. */
function textOf({
  messages,
  finishReason,
}: Pick<RunTurnResult, "messages" | "finishReason">): string {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const reply = messages[at];
  if (reply?.role !== "assistant") return "";
  const text = joined(reply.content);
  if (text !== "" || finishReason !== "stop") return text;
  return messages
    .slice(at + 1)
    .map((message) => (message.role === "tool" ? toText(message.content) : ""))
    .join("\n");
}

function toText(content: ToolContent): string {
  return typeof content === "string" ? content : joined(content);
}

function joined(parts: readonly (AssistantPart | ToolContentPart)[]): string {
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .join("");
}

function failedResponse(thrown: unknown): TurnResponse<never> {
  const error = serializeError(thrown);
  return { status: "error", text: "", messages: [], finishReason: "error", usage: {}, error };
}

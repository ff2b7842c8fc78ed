/** The only source of events that report a fact: the loop uses it, and so does a log, whose entries are facts. */
import type {
  AssistantMessage,
  ChatMessage,
  FinishReason,
  SerializedError,
  ToolMessage,
  Usage,
} from "../contracts/conversation.ts";
import type { AgentEvent, ConversationIds, EventIds, StepTiming } from "../contracts/events.ts";
import type { Fact } from "../contracts/journal.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";

/** A fact that is shown: one of the journal, with its cost if known, or one that the caller of the loop records itself. */
export type ShownFact =
  | (Fact & { readonly cost?: number })
  | {
      readonly type: "turn_started";
      readonly input: readonly ChatMessage[];
      readonly continues?: string;
    }
  | {
      readonly type: "steering_returned";
      readonly ids: readonly string[];
      readonly reason: string;
    }
  /** The turn stopped without an end. */
  | { readonly type: "turn_failed"; readonly error: SerializedError };

/** A step whose start was shown, but not its end. */
export interface UnfinishedStep {
  readonly step: number;
  /** Usage of its last attempt, once that has ended. */
  readonly usage?: Usage | undefined;
  readonly timing?: StepTiming | undefined;
}

/** The last reply, until another message follows it. */
export interface LastReply {
  readonly step: number;
  readonly message: AssistantMessage;
  /** True if it has no calls to settle. */
  readonly isEmpty: boolean;
  /** Whether this call is the last one without a recorded result. */
  isLast(toolCallId: string): boolean;
  /** Messages of all results in call order, given the last result. */
  messagesWith(toolCallId: string, result: ToolResult): readonly ToolMessage[];
}

/** State of the turn before a fact, and the function that shows its events. */
export interface ShownTurn<in out Ids extends EventIds = ConversationIds> {
  /** Ids of the events. */
  readonly ids: Ids;
  readonly underWay: UnfinishedStep | undefined;
  readonly reply: LastReply | undefined;
  emit(event: AgentEvent<Ids>): void;
}

type Event = AgentEvent<EventIds>;
type Shown = ShownTurn<EventIds>;
type EventOf<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;
type FactOf<Type extends ShownFact["type"]> = Extract<ShownFact, { readonly type: Type }>;

/** Error of an attempt that was discarded without one: it ended with its process. */
const interrupted: SerializedError = {
  name: "Interrupted",
  message: "The process ended during this attempt",
  code: "interrupted",
};

/**
 * Shows the events of one fact in order, given the turn before it. This is a hot path: events are passed on one by one, not in a list, and each
 * is built in one piece, ids first, optional fields last.
 */
export function showFact<Ids extends EventIds>(fact: ShownFact, turn: ShownTurn<Ids>): void;
export function showFact(fact: ShownFact, turn: Shown): void {
  switch (fact.type) {
    case "turn_started":
      return showStart(fact, turn);
    case "attempt":
      return showAttempt(fact, turn);
    case "attempt_ended":
      return showAttemptEnd(fact, turn);
    case "message":
      return showMessage(fact, turn);
    case "pending":
      return turn.emit({ ...turn.ids, type: "awaiting_tool_execution", pending: fact.pending });
    case "suspended": {
      const { pending, toolCallId } = fact;
      return turn.emit({ ...turn.ids, type: "awaiting_tool_execution", pending, toolCallId });
    }
    case "tool_intent":
    case "nested_intent":
    // The end of the turn reports it.
    case "input_rejected":
      return;
    case "step_prepared":
      for (const message of fact.messages ?? []) showWhole(message, turn);
      return;
    case "tool_result":
      return showResult(fact, turn);
    case "nested_result":
      return showNestedResult(fact, turn);
    case "steering_delivered": {
      const { step, messages } = fact;
      const ids = messages.map((message) => message.id);
      turn.emit({ ...turn.ids, type: "steering_delivered", ids, step });
      for (const message of messages) showWhole(message, turn);
      return;
    }
    case "steering_returned": {
      const { ids, reason } = fact;
      return turn.emit({ ...turn.ids, type: "steering_returned", ids, reason });
    }
    case "turn_failed":
      return turn.emit({ ...turn.ids, type: "error", error: fact.error });
    case "turn_ended":
      return showEnd(fact, turn);
    default:
      return fact satisfies never;
  }
}

function showStart({ input, continues }: FactOf<"turn_started">, turn: Shown): void {
  const start: Draft<EventOf<"turn_start">> = {
    ...turn.ids,
    type: "turn_start",
    input: input.map((message) => message.id),
  };
  if (continues !== undefined) start.continues = continues;
  turn.emit(start);
  for (const message of input) showWhole(message, turn);
}

/** The first attempt of a step starts the step. */
function showAttempt({ step, attempt, messageId }: FactOf<"attempt">, turn: Shown): void {
  const { ids } = turn;
  if (attempt === 1) turn.emit({ ...ids, type: "step_start", step });
  turn.emit({ ...ids, type: "attempt_start", step, attempt });
  turn.emit({ ...ids, type: "message_start", role: "assistant", messageId });
}

function showAttemptEnd(fact: FactOf<"attempt_ended">, turn: Shown): void {
  const { step, outcome, usage, timing } = fact;
  if (outcome === "discarded" || outcome === "rejected") return showDiscarded(fact, turn);
  const { reply } = turn;
  if (reply?.step === step) {
    if (!reply.isEmpty) return;
    const { stopReason, usage: replyUsage } = reply.message;
    return showStepEnd({ step, usage: replyUsage, timing }, stopReason, turn);
  }
  // A reply without content: only the end of the turn reports its usage and reason.
  if (outcome === "completed") return;
  showStepEnd({ step, usage, timing }, outcome === "aborted" ? "aborted" : "error", turn);
}

function showDiscarded(
  { step, attempt, model, error = interrupted, delayMs = 0 }: FactOf<"attempt_ended">,
  turn: Shown,
): void {
  turn.emit({
    ...turn.ids,
    type: "attempt_discarded",
    step,
    attempt,
    ...(model !== undefined && { model }),
    error,
    delayMs,
  });
}

function showMessage({ message, cost }: FactOf<"message">, turn: Shown): void {
  if (message.role === "assistant") return showMessageEnd(message, turn, cost);
  const { underWay } = turn;
  if (underWay !== undefined) {
    showStepEnd(underWay, message.source === "guard" ? "rejected" : "aborted", turn);
  }
  showWhole(message, turn);
}

function showResult(
  { toolCallId, toolName, result, durationMs }: FactOf<"tool_result">,
  turn: Shown,
): void {
  const { ids, reply, underWay } = turn;
  const end: Draft<EventOf<"tool_execution_end">> = {
    ...ids,
    type: "tool_execution_end",
    toolCallId,
    toolName,
    output: result.output,
    isError: result.isError,
  };
  if (result.details !== undefined) end.details = result.details;
  if (result.isDenied === true) end.isDenied = true;
  if (durationMs !== undefined) end.durationMs = durationMs;
  turn.emit(end);
  if (reply === undefined || !reply.isLast(toolCallId)) return;
  for (const message of reply.messagesWith(toolCallId, result)) showWhole(message, turn);
  const { stopReason, usage } = reply.message;
  showStepEnd({ step: reply.step, usage, timing: underWay?.timing }, stopReason, turn);
}

function showNestedResult(fact: FactOf<"nested_result">, turn: Shown): void {
  const { within, toolCallId, toolName, result, durationMs } = fact;
  const { output, details, isError, isDenied } = result;
  turn.emit({
    ...turn.ids,
    type: "nested_call_end",
    within,
    toolCallId,
    toolName,
    output,
    ...(details !== undefined && { details }),
    isError,
    ...(isDenied === true && { isDenied }),
    ...(durationMs !== undefined && { durationMs }),
  });
}

function showEnd(fact: FactOf<"turn_ended">, turn: Shown): void {
  const { finishReason, usage, cost, durationMs, pending, error, abortReason } = fact;
  const { ids, underWay } = turn;
  if (pending === undefined && underWay !== undefined) showStepEnd(underWay, finishReason, turn);
  if (finishReason === "aborted") {
    const abort: Draft<EventOf<"abort">> = { ...ids, type: "abort" };
    if (abortReason !== undefined) abort.reason = abortReason;
    turn.emit(abort);
  }
  if (error !== undefined) turn.emit({ ...ids, type: "error", error });
  const end: Draft<EventOf<"turn_end">> = {
    ...ids,
    type: "turn_end",
    finishReason,
    usage,
  };
  if (cost !== undefined) end.cost = cost;
  if (durationMs !== undefined) end.durationMs = durationMs;
  if (pending !== undefined) end.pending = pending;
  if (error !== undefined) end.error = error;
  turn.emit(end);
}

/** Shows a message that was not streamed. */
function showWhole(message: ChatMessage, turn: Shown): void {
  const { role, id: messageId } = message;
  turn.emit({ ...turn.ids, type: "message_start", role, messageId });
  showMessageEnd(message, turn);
}

function showMessageEnd(message: ChatMessage, turn: Shown, cost?: number): void {
  const event: Draft<EventOf<"message_end">> = {
    ...turn.ids,
    type: "message_end",
    message,
  };
  if (cost !== undefined) event.cost = cost;
  turn.emit(event);
}

function showStepEnd(
  { step, usage, timing }: UnfinishedStep,
  finishReason: FinishReason,
  turn: Shown,
): void {
  const event: Draft<EventOf<"step_end">> = {
    ...turn.ids,
    type: "step_end",
    step,
    finishReason,
  };
  if (usage !== undefined) event.usage = usage;
  if (timing !== undefined) event.timing = timing;
  turn.emit(event);
}

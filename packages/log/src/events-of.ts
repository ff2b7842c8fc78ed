/** The one way from a log to events. What a session shows as a fact while it runs is made here as well. */
import type { AgentEvent, AgentEventBody, ChatMessage, FinishReason } from "@capstan/kernel";
import { toToolMessage } from "@capstan/kernel";
import type { Cursor } from "./cursor.ts";
import type { Entry, EntryOf } from "./entries.ts";
import { SessionFold } from "./session-fold.ts";

/** An event and its place. */
export interface PlacedEvent {
  readonly cursor: Cursor;
  readonly event: AgentEvent;
}

/** Of an attempt that ended with its process. */
const interruptedAttempt = {
  name: "Interrupted",
  message: "The process ended during this attempt",
  code: "interrupted",
} as const;

/** The events of these entries in order. `fold` is the state before the first, and afterwards that behind the last. */
export function eventsOf(
  sessionId: string,
  entries: readonly Entry[],
  fold: SessionFold = new SessionFold(),
): PlacedEvent[] {
  const placed: PlacedEvent[] = [];
  for (const entry of entries) {
    let n = 0;
    for (const body of bodiesOf(entry, fold)) {
      n += 1;
      placed.push({ cursor: { seq: entry.seq, n }, event: toEvent(body, sessionId, entry) });
    }
    fold.apply(entry);
  }
  return placed;
}

function toEvent(body: AgentEventBody, conversationId: string, entry: Entry): AgentEvent {
  // Entries that have events belong to a turn.
  const { turnId } = entry as { readonly turnId: string };
  return { ...body, conversationId, turnId };
}

/** What an entry shows, given all before it. */
function bodiesOf(entry: Entry, before: SessionFold): readonly AgentEventBody[] {
  switch (entry.type) {
    case "turn_started":
      return ofTurnStarted(entry, before);
    case "turn_resumed":
      return ofTurnResumed(before);
    case "turn_ended":
      return ofTurnEnded(entry, before);
    case "attempt":
      return [
        { type: "attempt_start", step: entry.step, attempt: entry.attempt },
        { type: "message_start", role: "assistant", messageId: entry.messageId },
      ];
    case "attempt_ended":
      return ofAttemptEnded(entry, before);
    case "message":
      return ofMessage(entry, before);
    case "pending":
      return [{ type: "awaiting_tool_execution", pending: entry.pending }];
    case "tool_result":
      return ofToolResult(entry, before);
    case "queue_settled":
      return ofQueueSettled(entry, before);
    case "compaction":
      return [ofCompaction(entry)];
    case "eviction":
      return [{ type: "context_evicted", toolCallIds: entry.toolCallIds }];
    case "created":
    case "tool_intent":
    case "quarantine":
    case "history_cleared":
    case "history_loaded":
    case "forked_from":
    // What is posted shows through the owner's entry that settles it.
    case "input":
    case "steer":
    case "follow_up":
    case "answer":
    case "decision":
    case "queue_cleared":
    case "cancel_requested":
    case "config":
      return [];
    default:
      return entry satisfies never;
  }
}

function ofTurnStarted(
  { input, continues }: EntryOf<"turn_started">,
  before: SessionFold,
): AgentEventBody[] {
  const messages = before.messagesOf(input);
  const ids = messages.map((message) => message.id);
  const start: AgentEventBody = {
    type: "turn_start",
    input: ids,
    ...(continues !== undefined && { continues }),
  };
  return [start, ...messages.flatMap(ofWholeMessage)];
}

function ofTurnResumed({ turn }: SessionFold): AgentEventBody[] {
  const underWay = turn?.underWay;
  if (underWay === undefined || !(underWay.isAttemptOpen || underWay.isSilent)) return [];
  const { step, attempt } = underWay;
  return [{ type: "attempt_discarded", step, attempt, error: interruptedAttempt, delayMs: 0 }];
}

function ofTurnEnded(entry: EntryOf<"turn_ended">, before: SessionFold): AgentEventBody[] {
  const { finishReason, usage, cost, durationMs, pending, error, abortReason } = entry;
  const events: AgentEventBody[] = pending === undefined ? closeStep(before, finishReason) : [];
  if (finishReason === "aborted") {
    events.push({ type: "abort", ...(abortReason !== undefined && { reason: abortReason }) });
  }
  if (error !== undefined) events.push({ type: "error", error });
  events.push({
    type: "turn_end",
    finishReason,
    usage,
    ...(cost !== undefined && { cost }),
    ...(durationMs !== undefined && { durationMs }),
    ...(pending !== undefined && { pending }),
    ...(error !== undefined && { error }),
  });
  return events;
}

function ofAttemptEnded(entry: EntryOf<"attempt_ended">, before: SessionFold): AgentEventBody[] {
  const { step, attempt, outcome, error, delayMs = 0, usage, timing } = entry;
  if (outcome === "discarded") {
    const reason = error ?? interruptedAttempt;
    return [{ type: "attempt_discarded", step, attempt, error: reason, delayMs }];
  }
  const reply = before.transcript.step;
  if (reply?.step === step) {
    if (!reply.isEmpty) return [];
    const { stopReason, usage: replyUsage } = reply.message;
    return [stepEnd(step, stopReason, replyUsage, timing)];
  }
  // A reply that said nothing: what it ended with is only told by the end of the turn.
  if (outcome === "completed") return [];
  return [stepEnd(step, outcome === "aborted" ? "aborted" : "error", usage, timing)];
}

function ofMessage({ message }: EntryOf<"message">, before: SessionFold): AgentEventBody[] {
  if (message.role === "assistant") return [{ type: "message_end", message }];
  return [...closeStep(before, "aborted"), ...ofWholeMessage(message)];
}

function ofToolResult(entry: EntryOf<"tool_result">, before: SessionFold): AgentEventBody[] {
  const { toolCallId, toolName, result, durationMs } = entry;
  const end: AgentEventBody = {
    type: "tool_execution_end",
    toolCallId,
    toolName,
    output: result.output,
    isError: result.isError,
    ...(result.details !== undefined && { details: result.details }),
    ...(durationMs !== undefined && { durationMs }),
  };
  const { step } = before.transcript;
  if (step === undefined || step.isSettled || !step.isLast(toolCallId)) return [end];
  const { message } = step;
  const settled = new Map(step.results().map(({ call, result: known }) => [call.id, known]));
  const messages = step.calls.map((call) =>
    toToolMessage(call, settled.get(call.id) ?? entry.result),
  );
  const timing = before.turn?.underWay?.timing;
  return [
    end,
    ...messages.flatMap(ofWholeMessage),
    stepEnd(step.step, message.stopReason, message.usage, timing),
  ];
}

function ofQueueSettled(entry: EntryOf<"queue_settled">, before: SessionFold): AgentEventBody[] {
  const { ids, outcome } = entry;
  if (outcome.type === "returned") {
    return [{ type: "steering_returned", ids, reason: outcome.reason }];
  }
  const messages = before.messagesOf(ids);
  return [
    { type: "steering_delivered", ids, step: outcome.step },
    ...messages.flatMap(ofWholeMessage),
  ];
}

function ofCompaction(entry: EntryOf<"compaction">): AgentEventBody {
  const { through, before, after, usage } = entry;
  return {
    type: "compaction_end",
    through,
    before,
    after,
    ...(usage !== undefined && { usage }),
  };
}

function ofWholeMessage(message: ChatMessage): readonly AgentEventBody[] {
  const { role, id: messageId } = message;
  return [
    { type: "message_start", role, messageId },
    { type: "message_end", message },
  ];
}

/** The end of a step that something else cut off. */
function closeStep({ turn }: SessionFold, finishReason: FinishReason): AgentEventBody[] {
  const underWay = turn?.underWay;
  if (underWay === undefined) return [];
  return [stepEnd(underWay.step, finishReason, underWay.usage, underWay.timing)];
}

function stepEnd(
  step: number,
  finishReason: FinishReason,
  usage: Extract<AgentEventBody, { type: "step_end" }>["usage"],
  timing: Extract<AgentEventBody, { type: "step_end" }>["timing"],
): AgentEventBody {
  return {
    type: "step_end",
    step,
    finishReason,
    ...(usage !== undefined && { usage }),
    ...(timing !== undefined && { timing }),
  };
}

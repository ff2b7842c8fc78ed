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

/** State of the turn before a fact. */
export interface TurnBefore<Ids extends EventIds = ConversationIds> {
  /** Ids of the events. */
  readonly ids: Ids;
  readonly underWay: UnfinishedStep | undefined;
  readonly reply: LastReply | undefined;
}

type Event = AgentEvent<EventIds>;
type Before = TurnBefore<EventIds>;
type EventOf<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;
type FactOf<Type extends ShownFact["type"]> = Extract<ShownFact, { readonly type: Type }>;

const none: readonly Event[] = [];

/** Error of an attempt that was discarded without one: it ended with its process. */
const interrupted: SerializedError = {
  name: "Interrupted",
  message: "The process ended during this attempt",
  code: "interrupted",
};

/** Returns the events of one fact in order, given the turn before it. Each event is built in one piece, ids first, optional fields last: this is a hot path. */
export function eventsOfFact<Ids extends EventIds>(
  fact: ShownFact,
  before: TurnBefore<Ids>,
): readonly AgentEvent<Ids>[];
export function eventsOfFact(fact: ShownFact, before: Before): readonly Event[] {
  switch (fact.type) {
    case "turn_started":
      return turnStarted(fact, before);
    case "attempt":
      return attemptStarted(fact, before);
    case "attempt_ended":
      return attemptEnded(fact, before);
    case "message":
      return messageAdded(fact, before);
    case "pending":
      return [{ ...before.ids, type: "awaiting_tool_execution", pending: fact.pending }];
    case "tool_intent":
      return none;
    case "tool_result":
      return resultAdded(fact, before);
    case "steering_delivered": {
      const { step, messages } = fact;
      const ids = messages.map((message) => message.id);
      const delivered = { ...before.ids, type: "steering_delivered", ids, step } as const;
      return [delivered, ...messages.flatMap((message) => wholeMessage(message, before))];
    }
    case "steering_returned": {
      const { ids, reason } = fact;
      return [{ ...before.ids, type: "steering_returned", ids, reason }];
    }
    case "turn_failed":
      return [{ ...before.ids, type: "error", error: fact.error }];
    case "turn_ended":
      return turnEnded(fact, before);
    default:
      return fact satisfies never;
  }
}

function turnStarted({ input, continues }: FactOf<"turn_started">, before: Before): Event[] {
  const start: Draft<EventOf<"turn_start">> = {
    ...before.ids,
    type: "turn_start",
    input: input.map((message) => message.id),
  };
  if (continues !== undefined) start.continues = continues;
  return [start, ...input.flatMap((message) => wholeMessage(message, before))];
}

function attemptStarted({ step, attempt, messageId }: FactOf<"attempt">, { ids }: Before): Event[] {
  return [
    { ...ids, type: "attempt_start", step, attempt },
    { ...ids, type: "message_start", role: "assistant", messageId },
  ];
}

function attemptEnded(fact: FactOf<"attempt_ended">, before: Before): readonly Event[] {
  const { step, outcome, usage, timing } = fact;
  if (outcome === "discarded") return [attemptDiscarded(fact, before)];
  const { reply } = before;
  if (reply?.step === step) {
    if (!reply.isEmpty) return none;
    const { stopReason, usage: replyUsage } = reply.message;
    return [stepEnd({ step, usage: replyUsage, timing }, stopReason, before)];
  }
  // A reply without content: only the end of the turn reports its usage and reason.
  if (outcome === "completed") return none;
  return [stepEnd({ step, usage, timing }, outcome === "aborted" ? "aborted" : "error", before)];
}

function attemptDiscarded(
  { step, attempt, model, error = interrupted, delayMs = 0 }: FactOf<"attempt_ended">,
  { ids }: Before,
): Event {
  return {
    ...ids,
    type: "attempt_discarded",
    step,
    attempt,
    ...(model !== undefined && { model }),
    error,
    delayMs,
  };
}

function messageAdded({ message, cost }: FactOf<"message">, before: Before): Event[] {
  if (message.role === "assistant") return [messageEnd(message, before, cost)];
  const whole = wholeMessage(message, before);
  const { underWay } = before;
  return underWay === undefined ? whole : [stepEnd(underWay, "aborted", before), ...whole];
}

function resultAdded(
  { toolCallId, toolName, result, durationMs }: FactOf<"tool_result">,
  before: Before,
): Event[] {
  const { ids, reply, underWay } = before;
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
  if (reply === undefined || !reply.isLast(toolCallId)) return [end];
  const events: Event[] = [end];
  for (const message of reply.messagesWith(toolCallId, result)) {
    events.push(...wholeMessage(message, before));
  }
  const { stopReason, usage } = reply.message;
  events.push(stepEnd({ step: reply.step, usage, timing: underWay?.timing }, stopReason, before));
  return events;
}

function turnEnded(fact: FactOf<"turn_ended">, before: Before): Event[] {
  const { finishReason, usage, cost, durationMs, pending, error, abortReason } = fact;
  const { ids, underWay } = before;
  const events: Event[] = [];
  if (pending === undefined && underWay !== undefined) {
    events.push(stepEnd(underWay, finishReason, before));
  }
  if (finishReason === "aborted") {
    const abort: Draft<EventOf<"abort">> = { ...ids, type: "abort" };
    if (abortReason !== undefined) abort.reason = abortReason;
    events.push(abort);
  }
  if (error !== undefined) events.push({ ...ids, type: "error", error });
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
  events.push(end);
  return events;
}

/** Events of a message that was not streamed. */
function wholeMessage(message: ChatMessage, before: Before): Event[] {
  const { role, id: messageId } = message;
  return [{ ...before.ids, type: "message_start", role, messageId }, messageEnd(message, before)];
}

function messageEnd(message: ChatMessage, { ids }: Before, cost?: number): Event {
  const event: Draft<EventOf<"message_end">> = {
    ...ids,
    type: "message_end",
    message,
  };
  if (cost !== undefined) event.cost = cost;
  return event;
}

function stepEnd(
  { step, usage, timing }: UnfinishedStep,
  finishReason: FinishReason,
  { ids }: Before,
): Event {
  const event: Draft<EventOf<"step_end">> = {
    ...ids,
    type: "step_end",
    step,
    finishReason,
  };
  if (usage !== undefined) event.usage = usage;
  if (timing !== undefined) event.timing = timing;
  return event;
}

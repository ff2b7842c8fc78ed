/** The only source of events that report a fact: the loop uses it, and so does a log, whose entries are facts. */
import type {
  AssistantMessage,
  ChatMessage,
  FinishReason,
  SerializedError,
  ToolMessage,
  Usage,
} from "../contracts/conversation.ts";
import type { AgentEvent, AgentEventBody, StepTiming } from "../contracts/events.ts";
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
export interface TurnBefore {
  readonly conversationId: string;
  readonly turnId: string;
  readonly underWay: UnfinishedStep | undefined;
  readonly reply: LastReply | undefined;
}

type EventOf<Type extends AgentEventBody["type"]> = Extract<AgentEvent, { readonly type: Type }>;
type FactOf<Type extends ShownFact["type"]> = Extract<ShownFact, { readonly type: Type }>;

const none: readonly AgentEvent[] = [];

/** Error of an attempt that was discarded without one: it ended with its process. */
const interrupted: SerializedError = {
  name: "Interrupted",
  message: "The process ended during this attempt",
  code: "interrupted",
};

/** Returns the events of one fact in order, given the turn before it. Each event is built in one piece, optional fields last: this is a hot path. */
export function eventsOfFact(fact: ShownFact, before: TurnBefore): readonly AgentEvent[] {
  switch (fact.type) {
    case "turn_started":
      return turnStarted(fact, before);
    case "attempt":
      return attemptStarted(fact, before);
    case "attempt_ended":
      return attemptEnded(fact, before);
    case "message":
      return messageAdded(fact, before);
    case "pending": {
      const { conversationId, turnId } = before;
      const { pending } = fact;
      return [{ type: "awaiting_tool_execution", conversationId, turnId, pending }];
    }
    case "tool_intent":
      return none;
    case "tool_result":
      return resultAdded(fact, before);
    case "steering_delivered": {
      const { conversationId, turnId } = before;
      const { step, messages } = fact;
      const ids = messages.map((message) => message.id);
      const delivered = { type: "steering_delivered", conversationId, turnId, ids, step } as const;
      return [delivered, ...messages.flatMap((message) => wholeMessage(message, before))];
    }
    case "steering_returned": {
      const { conversationId, turnId } = before;
      const { ids, reason } = fact;
      return [{ type: "steering_returned", conversationId, turnId, ids, reason }];
    }
    case "turn_failed": {
      const { conversationId, turnId } = before;
      return [{ type: "error", conversationId, turnId, error: fact.error }];
    }
    case "turn_ended":
      return turnEnded(fact, before);
    default:
      return fact satisfies never;
  }
}

function turnStarted(
  { input, continues }: FactOf<"turn_started">,
  before: TurnBefore,
): AgentEvent[] {
  const { conversationId, turnId } = before;
  const start: Draft<EventOf<"turn_start">> = {
    type: "turn_start",
    conversationId,
    turnId,
    input: input.map((message) => message.id),
  };
  if (continues !== undefined) start.continues = continues;
  return [start, ...input.flatMap((message) => wholeMessage(message, before))];
}

function attemptStarted(
  { step, attempt, messageId }: FactOf<"attempt">,
  before: TurnBefore,
): AgentEvent[] {
  const { conversationId, turnId } = before;
  return [
    { type: "attempt_start", conversationId, turnId, step, attempt },
    { type: "message_start", conversationId, turnId, role: "assistant", messageId },
  ];
}

function attemptEnded(fact: FactOf<"attempt_ended">, before: TurnBefore): readonly AgentEvent[] {
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
  { conversationId, turnId }: TurnBefore,
): AgentEvent {
  return {
    type: "attempt_discarded",
    conversationId,
    turnId,
    step,
    attempt,
    ...(model !== undefined && { model }),
    error,
    delayMs,
  };
}

function messageAdded({ message, cost }: FactOf<"message">, before: TurnBefore): AgentEvent[] {
  if (message.role === "assistant") return [messageEnd(message, before, cost)];
  const whole = wholeMessage(message, before);
  const { underWay } = before;
  return underWay === undefined ? whole : [stepEnd(underWay, "aborted", before), ...whole];
}

function resultAdded(
  { toolCallId, toolName, result, durationMs }: FactOf<"tool_result">,
  before: TurnBefore,
): AgentEvent[] {
  const { conversationId, turnId, reply, underWay } = before;
  const end: Draft<EventOf<"tool_execution_end">> = {
    type: "tool_execution_end",
    conversationId,
    turnId,
    toolCallId,
    toolName,
    output: result.output,
    isError: result.isError,
  };
  if (result.details !== undefined) end.details = result.details;
  if (result.isDenied === true) end.isDenied = true;
  if (durationMs !== undefined) end.durationMs = durationMs;
  if (reply === undefined || !reply.isLast(toolCallId)) return [end];
  const events: AgentEvent[] = [end];
  for (const message of reply.messagesWith(toolCallId, result)) {
    events.push(...wholeMessage(message, before));
  }
  const { stopReason, usage } = reply.message;
  events.push(stepEnd({ step: reply.step, usage, timing: underWay?.timing }, stopReason, before));
  return events;
}

function turnEnded(fact: FactOf<"turn_ended">, before: TurnBefore): AgentEvent[] {
  const { finishReason, usage, cost, durationMs, pending, error, abortReason } = fact;
  const { conversationId, turnId, underWay } = before;
  const events: AgentEvent[] = [];
  if (pending === undefined && underWay !== undefined) {
    events.push(stepEnd(underWay, finishReason, before));
  }
  if (finishReason === "aborted") {
    const abort: Draft<EventOf<"abort">> = { type: "abort", conversationId, turnId };
    if (abortReason !== undefined) abort.reason = abortReason;
    events.push(abort);
  }
  if (error !== undefined) events.push({ type: "error", conversationId, turnId, error });
  const end: Draft<EventOf<"turn_end">> = {
    type: "turn_end",
    conversationId,
    turnId,
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
function wholeMessage(message: ChatMessage, before: TurnBefore): AgentEvent[] {
  const { conversationId, turnId } = before;
  const { role, id: messageId } = message;
  return [
    { type: "message_start", conversationId, turnId, role, messageId },
    messageEnd(message, before),
  ];
}

function messageEnd(
  message: ChatMessage,
  { conversationId, turnId }: TurnBefore,
  cost?: number,
): AgentEvent {
  const event: Draft<EventOf<"message_end">> = {
    type: "message_end",
    conversationId,
    turnId,
    message,
  };
  if (cost !== undefined) event.cost = cost;
  return event;
}

function stepEnd(
  { step, usage, timing }: UnfinishedStep,
  finishReason: FinishReason,
  { conversationId, turnId }: TurnBefore,
): AgentEvent {
  const event: Draft<EventOf<"step_end">> = {
    type: "step_end",
    conversationId,
    turnId,
    step,
    finishReason,
  };
  if (usage !== undefined) event.usage = usage;
  if (timing !== undefined) event.timing = timing;
  return event;
}

/** The one way from a log to events. What a session shows as a fact while it runs is made here as well. */
import type {
  AgentEvent,
  AgentEventBody,
  ChatMessage,
  FinishReason,
  StepTiming,
  Usage,
} from "@capstan/kernel";
import type { Cursor } from "./cursor.ts";
import type { Draft } from "../entries/draft.ts";
import type { Entry, EntryOf } from "../entries/entries.ts";
import { SessionFold } from "../folds/session-fold.ts";

/** An event and its place. */
export interface PlacedEvent {
  readonly cursor: Cursor;
  readonly event: AgentEvent;
}

type EventOf<Type extends AgentEventBody["type"]> = Extract<AgentEvent, { readonly type: Type }>;

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
  const events = new EntryEvents(sessionId);
  const placed: PlacedEvent[] = [];
  for (const entry of entries) {
    events.place(entry, fold, placed);
    fold.apply(entry);
  }
  return placed;
}

/** Every event of every turn comes through here, so each is made in one piece, fields that may be absent last. */
export class EntryEvents {
  readonly #conversationId: string;
  #turnId = "";
  #seq = 0;
  #placed: PlacedEvent[] = [];
  #count = 0;

  constructor(conversationId: string) {
    this.#conversationId = conversationId;
  }

  /** Adds the events of one entry; `before` is the state before it. How many they are. */
  place(entry: Entry, before: SessionFold, placed: PlacedEvent[]): number {
    // Entries that have events belong to a turn.
    this.#turnId = (entry as { readonly turnId: string }).turnId;
    this.#seq = entry.seq;
    this.#placed = placed;
    this.#count = 0;
    this.#show(entry, before);
    return this.#count;
  }

  /** What an entry shows, given all before it. */
  #show(entry: Entry, before: SessionFold): void {
    switch (entry.type) {
      case "turn_started":
        return this.#turnStarted(entry, before);
      case "turn_resumed":
        return this.#turnResumed(before);
      case "turn_ended":
        return this.#turnEnded(entry, before);
      case "attempt":
        return this.#attempt(entry);
      case "attempt_ended":
        return this.#attemptEnded(entry, before);
      case "message":
        return this.#message(entry, before);
      case "pending":
        return this.#pending(entry);
      case "tool_result":
        return this.#toolResult(entry, before);
      case "queue_settled":
        return this.#queueSettled(entry, before);
      case "compaction":
        return this.#compaction(entry);
      case "compaction_failed":
        return this.#compactionFailed(entry);
      case "eviction":
        return this.#eviction(entry);
      case "created":
      case "prompt":
      case "tool_intent":
      case "quarantine":
      case "compaction_started":
      case "forked_from":
      // What is posted shows through the owner's entry that settles it.
      case "input":
      case "steer":
      case "follow_up":
      case "answer":
      case "decision":
      case "call_claimed":
      case "queue_cleared":
      case "cancel_requested":
      case "config":
      case "compact":
      case "history_cleared":
      case "history_loaded":
        return;
      default:
        entry satisfies never;
    }
  }

  #place(event: AgentEvent): void {
    this.#count += 1;
    this.#placed.push({ cursor: { seq: this.#seq, n: this.#count }, event });
  }

  #turnStarted({ input, continues }: EntryOf<"turn_started">, before: SessionFold): void {
    const messages = before.messagesOf(input);
    const event: Draft<EventOf<"turn_start">> = {
      type: "turn_start",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      input: messages.map((message) => message.id),
    };
    if (continues !== undefined) event.continues = continues;
    this.#place(event);
    for (const message of messages) this.#wholeMessage(message);
  }

  #turnResumed({ turn }: SessionFold): void {
    const underWay = turn?.underWay;
    if (underWay === undefined || !(underWay.isAttemptOpen || underWay.isSilent)) return;
    this.#attemptDiscarded(underWay, interruptedAttempt, 0);
  }

  #turnEnded(entry: EntryOf<"turn_ended">, before: SessionFold): void {
    const { finishReason, usage, cost, durationMs, pending, error, abortReason } = entry;
    const conversationId = this.#conversationId;
    const turnId = this.#turnId;
    if (pending === undefined) this.#closeStep(before, finishReason);
    if (finishReason === "aborted") {
      const abort: Draft<EventOf<"abort">> = { type: "abort", conversationId, turnId };
      if (abortReason !== undefined) abort.reason = abortReason;
      this.#place(abort);
    }
    if (error !== undefined) this.#place({ type: "error", conversationId, turnId, error });
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
    this.#place(end);
  }

  #attempt({ step, attempt, messageId }: EntryOf<"attempt">): void {
    this.#place({
      type: "attempt_start",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      step,
      attempt,
    });
    this.#messageStart("assistant", messageId);
  }

  #attemptEnded(entry: EntryOf<"attempt_ended">, before: SessionFold): void {
    const { step, outcome, error, delayMs = 0, usage, timing } = entry;
    if (outcome === "discarded") {
      return this.#attemptDiscarded(entry, error ?? interruptedAttempt, delayMs);
    }
    const reply = before.transcript.step;
    if (reply?.step === step) {
      if (!reply.isEmpty) return;
      const { stopReason, usage: replyUsage } = reply.message;
      return this.#stepEnd(step, stopReason, replyUsage, timing);
    }
    // A reply that said nothing: what it ended with is only told by the end of the turn.
    if (outcome === "completed") return;
    this.#stepEnd(step, outcome === "aborted" ? "aborted" : "error", usage, timing);
  }

  #attemptDiscarded(
    { step, attempt, model }: Pick<EventOf<"attempt_discarded">, "step" | "attempt" | "model">,
    error: EventOf<"attempt_discarded">["error"],
    delayMs: number,
  ): void {
    this.#place({
      type: "attempt_discarded",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      step,
      attempt,
      ...(model !== undefined && { model }),
      error,
      delayMs,
    });
  }

  #message({ message, cost }: EntryOf<"message">, before: SessionFold): void {
    if (message.role === "assistant") return this.#messageEnd(message, cost);
    this.#closeStep(before, "aborted");
    this.#wholeMessage(message);
  }

  #pending({ pending }: EntryOf<"pending">): void {
    this.#place({
      type: "awaiting_tool_execution",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      pending,
    });
  }

  #toolResult(entry: EntryOf<"tool_result">, before: SessionFold): void {
    const { toolCallId, toolName, result, durationMs } = entry;
    const end: Draft<EventOf<"tool_execution_end">> = {
      type: "tool_execution_end",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      toolCallId,
      toolName,
      output: result.output,
      isError: result.isError,
    };
    if (result.details !== undefined) end.details = result.details;
    if (durationMs !== undefined) end.durationMs = durationMs;
    this.#place(end);
    const { step } = before.transcript;
    if (step === undefined || step.isSettled || !step.isLast(toolCallId)) return;
    for (const message of step.messagesWith(toolCallId, result)) this.#wholeMessage(message);
    const { stopReason, usage } = step.message;
    this.#stepEnd(step.step, stopReason, usage, before.turn?.underWay?.timing);
  }

  #queueSettled({ ids, outcome }: EntryOf<"queue_settled">, before: SessionFold): void {
    const conversationId = this.#conversationId;
    const turnId = this.#turnId;
    if (outcome.type === "returned") {
      const { reason } = outcome;
      return this.#place({ type: "steering_returned", conversationId, turnId, ids, reason });
    }
    const { step } = outcome;
    this.#place({ type: "steering_delivered", conversationId, turnId, ids, step });
    for (const message of before.messagesOf(ids)) this.#wholeMessage(message);
  }

  #compaction({ through, before, after, usage }: EntryOf<"compaction">): void {
    const event: Draft<EventOf<"compaction_end">> = {
      type: "compaction_end",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      through,
      before,
      after,
    };
    if (usage !== undefined) event.usage = usage;
    this.#place(event);
  }

  #compactionFailed({ reason, error, usage }: EntryOf<"compaction_failed">): void {
    const event: Draft<EventOf<"compaction_failed">> = {
      type: "compaction_failed",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      reason,
    };
    if (error !== undefined) event.error = error;
    if (usage !== undefined) event.usage = usage;
    this.#place(event);
  }

  #eviction({ toolCallIds }: EntryOf<"eviction">): void {
    const conversationId = this.#conversationId;
    this.#place({ type: "context_evicted", conversationId, turnId: this.#turnId, toolCallIds });
  }

  #wholeMessage(message: ChatMessage): void {
    this.#messageStart(message.role, message.id);
    this.#messageEnd(message, undefined);
  }

  #messageStart(role: ChatMessage["role"], messageId: string): void {
    const conversationId = this.#conversationId;
    this.#place({ type: "message_start", conversationId, turnId: this.#turnId, role, messageId });
  }

  #messageEnd(message: ChatMessage, cost: number | undefined): void {
    const event: Draft<EventOf<"message_end">> = {
      type: "message_end",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      message,
    };
    if (cost !== undefined) event.cost = cost;
    this.#place(event);
  }

  /** The end of a step that something else cut off. */
  #closeStep({ turn }: SessionFold, finishReason: FinishReason): void {
    const underWay = turn?.underWay;
    if (underWay === undefined) return;
    this.#stepEnd(underWay.step, finishReason, underWay.usage, underWay.timing);
  }

  #stepEnd(
    step: number,
    finishReason: FinishReason,
    usage: Usage | undefined,
    timing: StepTiming | undefined,
  ): void {
    const event: Draft<EventOf<"step_end">> = {
      type: "step_end",
      conversationId: this.#conversationId,
      turnId: this.#turnId,
      step,
      finishReason,
    };
    if (usage !== undefined) event.usage = usage;
    if (timing !== undefined) event.timing = timing;
    this.#place(event);
  }
}

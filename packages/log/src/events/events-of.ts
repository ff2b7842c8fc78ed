/** The only way from a log to events. Facts that a running session shows are converted here as well. */
import type {
  AgentEventBody,
  LastReply,
  ShownFact,
  ShownTurn,
  UnfinishedStep,
} from "@capstan/kernel";
import { showFact } from "@capstan/kernel";
import type { Cursor } from "./cursor.ts";
import type { Draft } from "../entries/draft.ts";
import type { Entry, EntryOf } from "../entries/entries.ts";
import { SessionFold } from "../folds/session-fold.ts";
import type { SessionEvent, SessionIds } from "./session-event.ts";

/** An event and its cursor. */
export interface PlacedEvent {
  readonly cursor: Cursor;
  readonly event: SessionEvent;
}

type EventOf<Type extends AgentEventBody["type"]> = Extract<SessionEvent, { readonly type: Type }>;

/** Returns the events of these entries in order. `fold` is the state before the first entry, and afterwards the state after the last. */
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

/** Between two entries; never added to. */
const none: PlacedEvent[] = [];

/** Entries of facts show the events of `showFact`; the others are the log's own. */
export class EntryEvents implements ShownTurn<SessionIds> {
  ids: SessionIds;
  underWay: UnfinishedStep | undefined;
  reply: LastReply | undefined;
  #seq = 0;
  #placed = none;
  #count = 0;

  constructor(sessionId: string) {
    this.ids = toIds(sessionId, "");
  }

  /** Adds the events of one entry; `before` is the state before it. Returns their number. */
  place(entry: Entry, before: SessionFold, placed: PlacedEvent[]): number {
    // Entries that have events belong to a turn.
    const { turnId } = entry as { readonly turnId: string };
    const { sessionId } = this.ids;
    if (turnId !== this.ids.turnId) this.ids = toIds(sessionId, turnId);
    this.#seq = entry.seq;
    this.#placed = placed;
    this.#count = 0;
    this.#show(entry, before);
    // A session at rest keeps no events, and no calls of its last step.
    this.#placed = none;
    this.underWay = undefined;
    this.reply = undefined;
    return this.#count;
  }

  /** Shows the events of an entry, given the state before it. */
  #show(entry: Entry, before: SessionFold): void {
    switch (entry.type) {
      case "attempt":
      case "attempt_ended":
      case "message":
      case "pending":
      case "suspended":
      case "tool_intent":
      case "tool_result":
      case "nested_intent":
      case "nested_result":
      case "step_prepared":
      case "input_rejected":
      case "turn_ended":
        return this.#showFact(entry, before);
      case "turn_started": {
        const { type, continues } = entry;
        const input = before.messagesOf(entry.input);
        return this.#showFact(
          continues === undefined ? { type, input } : { type, input, continues },
          before,
        );
      }
      case "turn_resumed":
        return this.#turnResumed(before);
      case "queue_settled":
        return this.#queueSettled(entry, before);
      case "compaction":
        return this.#compaction(entry);
      case "compaction_failed":
        return this.#compactionFailed(entry);
      case "eviction":
        return this.#eviction(entry);
      case "history_rewound":
        return this.#rewound(entry, before);
      case "child_started": {
        const { type, toolCallId, childId, agent, mode } = entry;
        const event = { ...this.ids, type, toolCallId, childId, agent };
        return this.emit(mode === undefined ? event : { ...event, mode });
      }
      case "child_waiting": {
        const { type, toolCallId, childId, pending } = entry;
        return this.emit({ ...this.ids, type, toolCallId, childId, pending });
      }
      case "handed_off": {
        const { type, toolCallId, agent } = entry;
        return this.emit({ ...this.ids, type, toolCallId, agent });
      }
      case "child_ended": {
        const { type, toolCallId, childId, outcome, reason, usage, cost } = entry;
        const isBackground = before.children.find(toolCallId)?.isBackground === true;
        // An awaited child that was stopped after the end of the turn: the result of its call was shown.
        if (!isBackground && before.turn?.isOver !== false) return;
        return this.emit({
          ...this.ids,
          type,
          toolCallId,
          childId,
          outcome,
          ...(reason !== undefined && { reason }),
          ...(usage !== undefined && { usage }),
          ...(cost !== undefined && { cost }),
        });
      }
      case "created":
      case "prompt":
      case "quarantine":
      case "checkpoint":
      case "compaction_started":
      case "forked_from":
      // Posted entries show through the owner's entry that records their outcome.
      case "input":
      case "steer":
      case "follow_up":
      case "answer":
      case "decision":
      case "call_claimed":
      case "child_reported":
      case "budget_granted":
      case "child_granted":
      case "queue_cleared":
      case "cancel_requested":
      case "abandon_requested":
      case "config":
      case "compact":
      case "history_cleared":
      case "history_loaded":
        return;
      default:
        entry satisfies never;
    }
  }

  emit(event: SessionEvent): void {
    this.#count += 1;
    this.#placed.push({ cursor: { seq: this.#seq, n: this.#count }, event });
  }

  #showFact(fact: ShownFact, { turn, transcript }: SessionFold): void {
    this.underWay = turn?.underWay;
    this.reply = transcript.step;
    showFact(fact, this);
  }

  /** An open attempt ended with its process. */
  #turnResumed(before: SessionFold): void {
    const underWay = before.turn?.underWay;
    if (underWay === undefined || underWay.state === "over") return;
    const { step, attempt } = underWay;
    const model = underWay.state === "open" ? underWay.model : undefined;
    const ended = { type: "attempt_ended", step, attempt, outcome: "discarded" } as const;
    this.#showFact(model === undefined ? ended : { ...ended, model }, before);
  }

  #queueSettled({ ids, outcome }: EntryOf<"queue_settled">, before: SessionFold): void {
    if (outcome.type === "returned") {
      const { reason } = outcome;
      return this.#showFact({ type: "steering_returned", ids, reason }, before);
    }
    const { step } = outcome;
    this.#showFact({ type: "steering_delivered", step, messages: before.messagesOf(ids) }, before);
  }

  #compaction({ through, before, after, usage }: EntryOf<"compaction">): void {
    const event: Draft<EventOf<"compaction_end">> = {
      ...this.ids,
      type: "compaction_end",
      through,
      before,
      after,
    };
    if (usage !== undefined) event.usage = usage;
    this.emit(event);
  }

  #compactionFailed({ reason, error, usage }: EntryOf<"compaction_failed">): void {
    const event: Draft<EventOf<"compaction_failed">> = {
      ...this.ids,
      type: "compaction_failed",
      reason,
    };
    if (error !== undefined) event.error = error;
    if (usage !== undefined) event.usage = usage;
    this.emit(event);
  }

  /** A refused rewind shows nothing. Like a compaction at rest, it belongs to no turn: its own id replaces the turn's. */
  #rewound(entry: EntryOf<"history_rewound">, before: SessionFold): void {
    const length = before.rewindTo(entry);
    if (typeof length === "string") return;
    const event: Draft<EventOf<"history_rewound">> = {
      sessionId: this.ids.sessionId,
      turnId: entry.id,
      type: "history_rewound",
    };
    const last = before.transcript.at(length - 1);
    if (last !== undefined) event.to = last.id;
    this.emit(event);
  }

  #eviction({ toolCallIds }: EntryOf<"eviction">): void {
    this.emit({ ...this.ids, type: "context_evicted", toolCallIds });
  }
}

/** Starts as `{}`, which leaves room for two more fields: an event that begins with a copy of it is one allocation. */
function toIds(sessionId: string, turnId: string): SessionIds {
  return Object.assign({}, { sessionId, turnId });
}

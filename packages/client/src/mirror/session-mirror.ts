/** A session as a client knows it: what the server said that it is, and what events have told since. */
import type {
  AgentEvent,
  ChatMessage,
  LiveMessage,
  LiveToolOutput,
  PendingCall,
  SerializedError,
  Usage,
} from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import type {
  Cursor,
  PlacedEvent,
  QueuedItem,
  SessionReply,
  SessionStatus,
  StoredEntry,
} from "@capstan/log";

/** A session at one moment. */
export interface ClientSessionState {
  readonly agent: string | undefined;
  readonly title: string | undefined;
  readonly status: SessionStatus;
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  /** The reply that is being written. */
  readonly streamingMessage: LiveMessage | undefined;
  /** What tools have shown so far. */
  readonly toolOutputs: readonly LiveToolOutput[];
  readonly pendingToolCalls: readonly PendingCall[];
  readonly queues: {
    readonly steering: readonly QueuedItem[];
    readonly followUp: readonly QueuedItem[];
  };
  readonly usage: Usage;
  readonly totalCost: number | undefined;
  /** How the last turn failed, if it did. */
  readonly error: SerializedError | undefined;
}

type Known = { -readonly [Key in keyof ClientSessionState]: ClientSessionState[Key] };

/**
 * The server folds the log, with the folds of `@capstan/log`: they alone would be two thirds of a client. Between two readings the facts
 * that came as events are laid over the last one; each is dropped when a reading has it. Usage, cost and what was queued elsewhere are those
 * of the last reading, and there is one behind every turn.
 */
export class SessionMirror {
  #reading: SessionReply | undefined;
  #messages: readonly ChatMessage[] = [];
  #told: PlacedEvent[] = [];
  #view = new LiveView();
  /** Where turns start, and who claimed a call first: the place of the entry, and the name. */
  readonly #turnStarts = new Map<string, number>();
  readonly #claimants = new Map<string, unknown>();
  #lastTurnId: string | undefined;

  get lastSeq(): number {
    return this.#reading?.lastSeq ?? 0;
  }

  /** The turn that was started last. */
  get lastTurnId(): string | undefined {
    return this.#lastTurnId;
  }

  /** The entry that the turn starts with, as far as it is known here. */
  startOf(turnId: string): number | undefined {
    return this.#turnStarts.get(turnId);
  }

  /** Who claimed the call first, up to the last reading. */
  firstClaimantOf(toolCallId: string): unknown {
    return this.#claimants.get(toolCallId);
  }

  /** Whether all of these calls wait, as far as it is known here. */
  hasPending(toolCallIds: readonly string[]): boolean {
    const { pendingToolCalls } = this.state;
    return toolCallIds.every((id) => pendingToolCalls.some(({ toolCallId }) => toolCallId === id));
  }

  /** Takes the next reading: behind `sinceSeq`, which was the last seq of the one before. */
  read(reading: SessionReply, sinceSeq: number): void {
    // A later one may have overtaken it.
    if (sinceSeq !== this.lastSeq || reading.lastSeq < sinceSeq) return;
    const isReplaced = reading.entries.some(
      ({ type }) => type === "history_loaded" || type === "history_cleared",
    );
    const before = sinceSeq === 0 || isReplaced ? [] : this.#messages;
    this.#messages = [...before, ...reading.messages];
    this.#reading = { ...reading, messages: [], entries: [] };
    this.#told = this.#told.filter(({ cursor }) => cursor.seq > reading.lastSeq);
    for (const entry of reading.entries) this.#learn(entry);
  }

  /** The session is gone, and another one may have its id. */
  reset(): void {
    this.#reading = undefined;
    this.#messages = [];
    this.#told = [];
    this.#view = new LiveView();
    this.#turnStarts.clear();
    this.#claimants.clear();
    this.#lastTurnId = undefined;
  }

  /** A fact, or what is live. */
  apply(event: AgentEvent, cursor: Cursor): void {
    this.#view.apply(event);
    if (event.type === "turn_start") this.#learnStart(event.turnId, cursor.seq);
    if (cursor.seq > this.lastSeq && isFact(event)) this.#told.push({ event, cursor });
  }

  /** For one that nobody streams. */
  showLive(live: SessionReply["live"]): void {
    this.#view.apply({ type: "snapshot", ...live });
  }

  get state(): ClientSessionState {
    const { message, toolOutputs } = this.#view.snapshot();
    const reading = this.#reading;
    const known: Known = {
      agent: reading?.agent,
      title: reading?.title,
      status: reading?.status ?? "idle",
      model: reading?.model,
      messages: [...this.#messages, ...this.#told.flatMap(messageIn)],
      streamingMessage: message,
      toolOutputs,
      pendingToolCalls: reading?.pendingToolCalls ?? [],
      queues: reading?.queues ?? { steering: [], followUp: [] },
      usage: reading?.usage ?? {},
      totalCost: reading?.totalCost,
      error: reading?.error,
    };
    for (const { event } of this.#told) layOver(known, event);
    return known;
  }

  #learn({ type, seq, turnId, toolCallId, claimedBy }: StoredEntry): void {
    if (type === "turn_started" && typeof turnId === "string") this.#learnStart(turnId, seq);
    if (type === "call_claimed" && typeof toolCallId === "string") {
      // The first claim of a call that waits is always taken.
      if (!this.#claimants.has(toolCallId)) this.#claimants.set(toolCallId, claimedBy);
    }
  }

  #learnStart(turnId: string, seq: number): void {
    if ((this.#turnStarts.get(this.#lastTurnId ?? "") ?? 0) <= seq) this.#lastTurnId = turnId;
    this.#turnStarts.set(turnId, seq);
  }
}

function isFact({ type }: AgentEvent): boolean {
  switch (type) {
    case "turn_start":
    case "turn_end":
    case "message_end":
    case "awaiting_tool_execution":
    case "tool_execution_end":
    case "steering_returned":
      return true;
    default:
      return false;
  }
}

function messageIn({ event }: PlacedEvent): readonly ChatMessage[] {
  return event.type === "message_end" ? [event.message] : [];
}

function layOver(known: Known, event: AgentEvent): void {
  switch (event.type) {
    case "turn_start":
      known.status = "running";
      known.error = undefined;
      return;
    case "message_end":
      return dequeue(known, [event.message.id]);
    case "steering_returned":
      return dequeue(known, event.ids);
    case "awaiting_tool_execution":
      known.pendingToolCalls = [
        ...without(
          known.pendingToolCalls,
          event.pending.map(({ toolCallId }) => toolCallId),
        ),
        ...event.pending,
      ];
      return;
    case "tool_execution_end":
      known.pendingToolCalls = without(known.pendingToolCalls, [event.toolCallId]);
      return;
    case "turn_end": {
      const { pending, error, finishReason } = event;
      const status = finishReason === "error" ? "error" : "completed";
      known.status = pending === undefined ? status : "awaiting_tool_execution";
      known.pendingToolCalls = pending ?? [];
      known.error = error;
      return;
    }
    default:
      return;
  }
}

function without(calls: readonly PendingCall[], ids: readonly string[]): readonly PendingCall[] {
  return calls.filter(({ toolCallId }) => !ids.includes(toolCallId));
}

/** What has reached the model, or went back, waits no longer. */
function dequeue(known: Known, ids: readonly string[]): void {
  const { steering, followUp } = known.queues;
  const isLeft = ({ id }: QueuedItem): boolean => !ids.includes(id);
  known.queues = { steering: steering.filter(isLeft), followUp: followUp.filter(isLeft) };
}

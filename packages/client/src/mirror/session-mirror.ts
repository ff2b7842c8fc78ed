/** A session as a client knows it: the last reading from the server, plus the events since. */
import type {
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
  RunningCall,
  SessionEvent,
  SessionReply,
  SessionStatus,
  StoredEntry,
} from "@capstan/log";

/** A session at one moment, as values that never change: while nothing happens, `session.state` is the same object. */
export interface ClientSessionState {
  readonly agent: string | undefined;
  readonly title: string | undefined;
  readonly status: SessionStatus;
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  /** The reply being written. */
  readonly streamingMessage: LiveMessage | undefined;
  /** Tool output so far. */
  readonly toolOutputs: readonly LiveToolOutput[];
  readonly pendingToolCalls: readonly PendingCall[];
  /** Calls that run on the server, or are about to. `toolOutputs` has their output so far. */
  readonly runningToolCalls: readonly RunningCall[];
  readonly queues: {
    readonly steering: readonly QueuedItem[];
    readonly followUp: readonly QueuedItem[];
  };
  readonly usage: Usage;
  readonly totalCost: number | undefined;
  /** Error of the last turn, if it failed. */
  readonly error: SerializedError | undefined;
}

/** A state while events are laid over it. */
export type Known = { -readonly [Key in keyof ClientSessionState]: ClientSessionState[Key] };

/**
 * The server folds the log: the folds of `@capstan/log` alone would be two thirds of a client. Between two readings, facts that arrive as
 * events are laid over the last reading; each is dropped once a reading contains it. Usage, cost and messages queued elsewhere are those of the
 * last reading; there is a reading after every turn.
 */
export class SessionMirror {
  #reading: SessionReply | undefined;
  #messages: readonly ChatMessage[] = [];
  #told: PlacedEvent[] = [];
  /** Undefined after a change. */
  #state: ClientSessionState | undefined;
  #shown: readonly ChatMessage[] = [];
  #view = new LiveView();
  /** Seq of the entry that starts each turn. */
  readonly #turnStarts = new Map<string, number>();
  /** First client that claimed each call. */
  readonly #claimants = new Map<string, unknown>();
  #lastTurnId: string | undefined;

  get lastSeq(): number {
    return this.#reading?.lastSeq ?? 0;
  }

  /** Id of the last turn that started. */
  get lastTurnId(): string | undefined {
    return this.#lastTurnId;
  }

  /** Seq of the entry that starts the turn, if known. */
  startOf(turnId: string): number | undefined {
    return this.#turnStarts.get(turnId);
  }

  /** First client that claimed the call, as of the last reading. */
  firstClaimantOf(toolCallId: string): unknown {
    return this.#claimants.get(toolCallId);
  }

  /** Whether all of these calls are known to be pending. */
  hasPending(toolCallIds: readonly string[]): boolean {
    const { pendingToolCalls } = this.state;
    return toolCallIds.every((id) => pendingToolCalls.some(({ toolCallId }) => toolCallId === id));
  }

  /** Takes the next reading. It starts after `sinceSeq`, the last seq of the previous one. */
  read(reading: SessionReply, sinceSeq: number): void {
    // A later reading may have overtaken this one.
    if (sinceSeq !== this.lastSeq || reading.lastSeq < sinceSeq) return;
    this.#messages = [...this.#messages.slice(0, reading.firstIndex), ...reading.messages];
    this.#state = undefined;
    this.#reading = { ...reading, messages: [], entries: [] };
    this.#told = this.#told.filter(({ cursor }) => cursor.seq > reading.lastSeq);
    for (const entry of reading.entries) this.#learn(entry);
  }

  /** Forgets the session: it is gone, and another one may have its id. */
  reset(): void {
    this.#state = undefined;
    this.#shown = [];
    this.#reading = undefined;
    this.#messages = [];
    this.#told = [];
    this.#view = new LiveView();
    this.#turnStarts.clear();
    this.#claimants.clear();
    this.#lastTurnId = undefined;
  }

  /** Applies an event: a fact, or a live part. */
  apply(event: SessionEvent, cursor: Cursor): void {
    this.#state = undefined;
    this.#view.apply(event);
    if (event.type === "turn_start") this.#learnStart(event.turnId, cursor.seq);
    if (cursor.seq > this.lastSeq && factTypes.includes(event.type))
      this.#told.push({ event, cursor });
  }

  /** Shows the live part of a reading, for a session that is not streamed. */
  showLive(live: SessionReply["live"]): void {
    this.#state = undefined;
    this.#view.apply({ type: "snapshot", ...live });
  }

  get state(): ClientSessionState {
    return (this.#state ??= this.#toState());
  }

  #toState(): ClientSessionState {
    const { message, toolOutputs } = this.#view.snapshot();
    const reading = this.#reading;
    const known: Known = {
      agent: reading?.agent,
      title: reading?.title,
      status: reading?.status ?? "idle",
      model: reading?.model,
      messages: this.#shownMessages(),
      streamingMessage: message,
      toolOutputs,
      pendingToolCalls: reading?.pendingToolCalls ?? [],
      runningToolCalls: reading?.runningToolCalls ?? [],
      queues: reading?.queues ?? { steering: [], followUp: [] },
      usage: reading?.usage ?? {},
      totalCost: reading?.totalCost,
      error: reading?.error,
    };
    for (const { event } of this.#told) layOver(known, event);
    return known;
  }

  #shownMessages(): readonly ChatMessage[] {
    const messages = this.#told.reduce(after, this.#messages);
    // A message never changes, so a list of the same ones is the same list.
    if (idsOf(messages) !== idsOf(this.#shown)) this.#shown = messages;
    return this.#shown;
  }

  #learn({ type, seq, turnId, toolCallId, claimedBy }: StoredEntry): void {
    if (type === "turn_started" && typeof turnId === "string") this.#learnStart(turnId, seq);
    if (type === "call_claimed" && typeof toolCallId === "string") {
      // The first claim of a pending call always succeeds.
      if (!this.#claimants.has(toolCallId)) this.#claimants.set(toolCallId, claimedBy);
    }
  }

  #learnStart(turnId: string, seq: number): void {
    if ((this.#turnStarts.get(this.#lastTurnId ?? "") ?? 0) <= seq) this.#lastTurnId = turnId;
    this.#turnStarts.set(turnId, seq);
  }
}

export const factTypes: readonly SessionEvent["type"][] = [
  "turn_start",
  "turn_end",
  "message_end",
  "awaiting_tool_execution",
  "child_waiting",
  "child_ended",
  "tool_execution_end",
  "steering_returned",
  "history_rewound",
];

/** Messages after this event. */
export function after(
  messages: readonly ChatMessage[],
  { event }: PlacedEvent,
): readonly ChatMessage[] {
  if (event.type === "message_end") return [...messages, event.message];
  if (event.type !== "history_rewound") return messages;
  const { to } = event;
  return messages.slice(0, 1 + messages.findIndex(({ id }) => id === to));
}

export function layOver(known: Known, event: SessionEvent): void {
  switch (event.type) {
    case "turn_start":
      known.status = "running";
      known.error = undefined;
      return;
    case "message_end":
      known.runningToolCalls = callsIn(event.message);
      return dequeue(known, [event.message.id]);
    case "steering_returned":
      return dequeue(known, event.ids);
    case "awaiting_tool_execution": {
      const ids = event.pending.map(({ toolCallId }) => toolCallId);
      known.pendingToolCalls = [...without(known.pendingToolCalls, ids), ...event.pending];
      known.runningToolCalls = without(known.runningToolCalls, [...ids, event.toolCallId ?? ""]);
      return;
    }
    case "child_waiting":
      known.pendingToolCalls = without(known.pendingToolCalls, [event.toolCallId]).concat(
        event.pending,
      );
      return;
    case "child_ended":
    case "tool_execution_end":
      known.pendingToolCalls = without(known.pendingToolCalls, [event.toolCallId]);
      known.runningToolCalls = without(known.runningToolCalls, [event.toolCallId]);
      return;
    case "turn_end": {
      const { pending, error, finishReason } = event;
      const status = finishReason === "error" ? "error" : "completed";
      known.status = pending === undefined ? status : "awaiting_tool_execution";
      // Calls that are left then wait in children in the background.
      known.pendingToolCalls = pending ?? known.pendingToolCalls.filter(({ via }) => via);
      known.runningToolCalls = [];
      known.error = error;
      return;
    }
    case "history_rewound":
      known.status = "idle";
      known.pendingToolCalls = known.runningToolCalls = [];
      known.error = undefined;
      return;
    default:
      return;
  }
}

/** Leaves out these calls, and what child sessions ask for them. */
function without<Call extends Pick<PendingCall, "toolCallId" | "via">>(
  calls: readonly Call[],
  ids: readonly string[],
): readonly Call[] {
  return calls.filter(({ toolCallId, via }) => !ids.includes(via?.[0]?.toolCallId ?? toolCallId));
}

/** Calls of a reply that are to be run, or answered. */
function callsIn(message: ChatMessage): readonly RunningCall[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) =>
    part.type === "tool_call" && part.isProviderExecuted !== true
      ? [{ toolCallId: part.id, toolName: part.name, input: part.input }]
      : [],
  );
}

function idsOf(messages: readonly ChatMessage[]): string {
  return String(messages.map(({ id }) => id));
}

/** Removes messages that reached the model, or were returned, from the queues. */
function dequeue(known: Known, ids: readonly string[]): void {
  const { steering, followUp } = known.queues;
  const isLeft = ({ id }: QueuedItem): boolean => !ids.includes(id);
  known.queues = { steering: steering.filter(isLeft), followUp: followUp.filter(isLeft) };
}

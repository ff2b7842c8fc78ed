/** The handle of a session's turn: fed by the session's events, whichever process runs it. */
import type { ChatMessage, JsonValue, PendingCall, TurnResponse } from "@capstan/kernel";
import type { MaybePromise, PostedBody, SessionEvent } from "@capstan/log";
import {
  abortReasonOf,
  background,
  EventQueue,
  serializeError,
  toTurnResponse,
} from "@capstan/kernel";
import { orElse } from "@capstan/log";
import type { ShownCalls } from "@capstan/log";
import { noOutput, PartialOutput } from "./partial-output.ts";
import type { Turn } from "./turn.ts";

/** Functions of the session that a handle uses. */
export interface TurnSession {
  readonly id: string;
  /** Whether the answers of its agent are typed. */
  readonly hasOutput: boolean;
  /** Stops the turn, in whichever process it runs. */
  abortSoon(turnId: string, reason: string | undefined): void;
  /** Adds the fields of the response that only the agent knows. */
  completeTurn(response: TurnResponse<never>): MaybePromise<TurnResponse>;
  /** Called when the handle gets no more events. */
  onTurnOver(turn: SessionTurn): void;
  /** Delivers the events that the handle has not kept, then lets it continue. */
  refillTurn(turn: SessionTurn): void;
}

export class SessionTurn implements Turn {
  readonly id: string;
  /** Body of the post that starts the turn, if this process sent it. */
  sent: PostedBody | undefined;
  readonly #response: Promise<TurnResponse>;
  #isLookedAt = false;
  readonly #session: TurnSession;
  /**
   * Undefined until the events are read: many turns are only awaited, and their events can be rebuilt from the log, except for the
   * granularity of their deltas.
   */
  #queue: EventQueue<SessionEvent> | undefined;
  #hasMissed = false;
  #turnId: string | undefined;
  #isRefilling = false;
  #failure: SessionEvent | undefined;
  readonly #resolve: (response: MaybePromise<TurnResponse>) => void;
  #isOver = false;
  #inputIds: readonly string[] = [];
  readonly #messages: ChatMessage[] = [];
  /** Handles of the session that gave this turn to their caller, and the calls that the caller has seen. */
  #viewers: readonly ShownCalls[] = [];
  #pending: readonly PendingCall[] | undefined;
  /** Gets every event, because they are not kept for a reader that comes late. Undefined if the answer is not typed. */
  readonly #partial: PartialOutput | undefined;

  constructor(id: string, session: TurnSession) {
    const { promise, resolve } = Promise.withResolvers<TurnResponse>();
    this.id = id;
    this.#response = promise;
    this.#session = session;
    this.#partial = session.hasOutput ? new PartialOutput() : undefined;
    this.#resolve = resolve;
  }

  get response(): Promise<TurnResponse> {
    this.#isLookedAt = true;
    this.#notePending();
    return this.#response;
  }

  /** Likewise, for code that does not show it to the caller. */
  get over(): Promise<TurnResponse> {
    return this.#response;
  }

  /** The caller sees the turn's error. */
  lookAt(): void {
    this.#isLookedAt = true;
  }

  get partialOutput(): AsyncIterable<JsonValue> {
    return this.#partial ?? noOutput;
  }

  /** Called when a handle of the session gives the turn to its caller. */
  addViewer(shown: ShownCalls): void {
    // A spread would leave room for 17 items.
    if (!this.#viewers.includes(shown)) this.#viewers = this.#viewers.concat(shown);
  }

  /** The caller sees the calls that the response lists. */
  #notePending(): void {
    if (!this.#isLookedAt || this.#pending === undefined) return;
    for (const shown of this.#viewers) shown.note(this.#pending);
  }

  #push(event: SessionEvent): void {
    this.#queue?.push(event);
    if (event.type !== "awaiting_tool_execution") return;
    for (const shown of this.#viewers) shown.noteEvent(event);
  }

  /** Whether the response or the events were requested: then the caller sees the turn's error. */
  get isLookedAt(): boolean {
    return this.#isLookedAt;
  }

  /** Id of the turn this handle follows. Answers get a handle before it is known which turn takes them. */
  get turnId(): string {
    return this.#turnId ?? this.id;
  }

  /** Whether the handle has received an event of its turn. */
  get hasBegun(): boolean {
    return this.#turnId !== undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get events(): AsyncIterable<SessionEvent> {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEvent> {
    this.#isLookedAt = true;
    return (this.#queue ??= this.#startQueue())[Symbol.asyncIterator]();
  }

  #startQueue(): EventQueue<SessionEvent> {
    const queue = new EventQueue<SessionEvent>();
    if (this.#failure !== undefined) {
      queue.push(this.#failure);
      queue.end();
    } else if (this.#hasMissed) {
      this.#isRefilling = true;
      // Only after the queue is set.
      queueMicrotask(() => this.#session.refillTurn(this));
    } else if (this.#isOver) queue.end();
    return queue;
  }

  result(): Promise<TurnResponse> {
    return this.response;
  }

  abort(reason?: string): void {
    this.#session.abortSoon(this.id, reason);
  }

  /** Takes the next event of the turn. The `turn_end` event resolves the response. */
  take(event: SessionEvent): void {
    this.#turnId = event.turnId;
    this.#partial?.take(event);
    if (this.#queue === undefined) this.#hasMissed = true;
    else if (!this.#isRefilling) this.#push(event);
    switch (event.type) {
      case "turn_start":
        this.#inputIds = event.input;
        return;
      case "message_end":
        if (!this.#inputIds.includes(event.message.id)) this.#messages.push(event.message);
        return;
      case "turn_end":
        return this.end({
          ...toTurnResponse({ ...event, messages: this.#messages }),
          ...(event.cost !== undefined && { cost: event.cost }),
        });
      default:
        return;
    }
  }

  /** Queues the events from before the first read, in order. */
  refill(events: readonly SessionEvent[]): void {
    for (const event of events) this.#push(event);
  }

  /** Events are queued as they come from now on. */
  onRefilled(): void {
    this.#isRefilling = false;
    if (this.#isOver) this.#queue?.end();
  }

  /** Missed events are not available. */
  failRefill(thrown: unknown): void {
    const error = serializeError(thrown);
    const { id: turnId } = this;
    this.#queue?.push({ type: "error", sessionId: this.#session.id, turnId, error });
    this.onRefilled();
  }

  /** Aborts the turn with this signal until it has ended. */
  abortOn(signal: AbortSignal): void {
    const abort = (): void => {
      const { reason } = signal as { readonly reason: unknown };
      this.abort(abortReasonOf(reason));
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    background(
      this.#response.then(() => signal.removeEventListener("abort", abort)),
      () => {},
    );
  }

  end(response: TurnResponse<never>): void {
    this.#isOver = true;
    this.#partial?.end();
    this.#pending = response.pendingToolCalls;
    this.#notePending();
    this.#session.onTurnOver(this);
    if (!this.#isRefilling) this.#queue?.end();
    // A response never rejects.
    this.#resolve(
      orElse(
        () => this.#session.completeTurn(response),
        () => response,
      ),
    );
  }

  /** The turn was not sent. An aborted send is an aborted turn, whose error tells that it never began. */
  failUnsent(thrown: unknown): void {
    const error = serializeError(thrown);
    if (error.code !== "not_sent") return this.fail(thrown);
    const unsent = { messages: [], usage: {}, finishReason: "aborted", error } as const;
    this.end(toTurnResponse(unsent));
  }

  /** The turn was never started, or this process cannot follow it any more. */
  fail(thrown: unknown): void {
    const error = serializeError(thrown);
    const { id: turnId } = this;
    this.#failure = { type: "error", sessionId: this.#session.id, turnId, error };
    this.#queue?.push(this.#failure);
    this.end(toTurnResponse({ messages: this.#messages, usage: {}, finishReason: "error", error }));
  }
}

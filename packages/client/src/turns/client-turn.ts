/** Handle of a turn on a server, including the turns that this client makes continue it. */
import type { ChatMessage, PendingCall, Turn, TurnResponse, Usage } from "@capstan/kernel";
import {
  abortReasonOf,
  background,
  EventQueue,
  serializeError,
  toTurnResponse,
} from "@capstan/kernel";
import type { Cursor, SessionEvent, ShownCalls } from "@capstan/log";
import { chainMark } from "@capstan/log";
import { ReadPosition } from "../stream/read-position.ts";
import { sumUsage } from "./sum-usage.ts";

/** Operations of a session that its handles need. */
export interface TurnOwner {
  readonly sessionId: string;
  abortSoon(turn: ClientTurn, reason: string | undefined): void;
  /** Calls that only other clients can answer. Undefined if this client answers one, or the turn has continued. */
  leftToOthers(pending: readonly PendingCall[], turnId: string): readonly PendingCall[] | undefined;
  onTurnOver(turn: ClientTurn): void;
}

export class ClientTurn implements Turn<unknown, SessionEvent> {
  readonly id: string;
  readonly #response: Promise<TurnResponse>;
  readonly #owner: TurnOwner;
  readonly #shown: ShownCalls;
  /** Pending calls that the events named so far, and those of the response. */
  #asked: readonly PendingCall[] = [];
  #left: readonly PendingCall[] = [];
  #isRead = false;
  #isLookedAt = false;
  readonly #queue = new EventQueue<SessionEvent>();
  readonly #resolve: (response: TurnResponse) => void;
  readonly #position = new ReadPosition();
  #root: string;
  #isOver = false;
  /** End of the last turn of the chain, while more turns may follow. */
  #suspension: Extract<SessionEvent, { type: "turn_end" }> | undefined;
  /** Calls that this handle answers. */
  #answered: readonly string[] = [];
  #inputIds: readonly string[] = [];
  readonly #messages: ChatMessage[] = [];
  #usage: Usage = {};
  #cost: number | undefined;

  constructor(id: string, owner: TurnOwner, shown: ShownCalls) {
    const { promise, resolve } = Promise.withResolvers<TurnResponse>();
    this.id = id;
    this.#response = promise;
    this.#shown = shown;
    this.#resolve = resolve;
    this.#owner = owner;
    this.#root = rootOf(id);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get response(): Promise<TurnResponse> {
    this.#isLookedAt = true;
    this.#noteCalls();
    return this.#response;
  }

  get events(): AsyncIterable<SessionEvent> {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEvent> {
    this.#isRead = true;
    this.#noteCalls();
    return this.#queue[Symbol.asyncIterator]();
  }

  result(): Promise<TurnResponse> {
    return this.response;
  }

  /** The caller gets the events from the first one on, and the response. */
  #noteCalls(): void {
    if (this.#isRead) this.#shown.note(this.#asked);
    if (this.#isLookedAt) this.#shown.note(this.#left);
  }

  abort(reason?: string): void {
    if (!this.#isOver) this.#owner.abortSoon(this, reason);
  }

  /** Id of the first turn of its chain. */
  get root(): string {
    return this.#root;
  }

  /** Aborts the turn when the signal fires, until the turn has ended. */
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

  /** Follows the chain of this turn, after this cursor. */
  follow(turnId: string, after: Cursor): void {
    this.#root = rootOf(turnId);
    this.#position.moveTo(after);
  }

  onAnswering(toolCallIds: readonly string[]): void {
    this.#answered = toolCallIds;
  }

  /** Takes the next event of the session if it belongs to this chain and is new. */
  take(event: SessionEvent, cursor: Cursor): void {
    if (this.#isOver || rootOf(event.turnId) !== this.#root || event.type === "settled") return;
    if (!this.#position.takes(event, cursor)) return;
    this.#queue.push(event);
    switch (event.type) {
      case "turn_start":
        this.#suspension = undefined;
        this.#inputIds = [...this.#inputIds, ...event.input];
        return;
      case "message_end":
        if (!this.#inputIds.includes(event.message.id)) this.#messages.push(event.message);
        return;
      case "awaiting_tool_execution":
        this.#asked = [...this.#asked, ...event.pending];
        return this.#noteCalls();
      case "turn_end":
        this.#usage = sumUsage(this.#usage, event.usage);
        if (event.cost !== undefined) this.#cost = (this.#cost ?? 0) + event.cost;
        if (event.pending === undefined) return this.#end(event);
        this.#suspension = event;
        return this.leave(event.pending);
      default:
        return;
    }
  }

  /** Ends the handle if only other clients can answer these pending calls. */
  leave(pending: readonly PendingCall[]): void {
    if (this.#suspension === undefined) return;
    // `turn_end` may list calls that were answered just after it.
    const open = pending.filter(({ toolCallId }) => !this.#answered.includes(toolCallId));
    const left = this.#owner.leftToOthers(open, this.#suspension.turnId);
    if (left !== undefined) this.#end({ ...this.#suspension, pending: left });
  }

  /** Ends the handle of answers that started no turn, because other answers are missing, or the turn has ended. */
  leaveUnstarted(turnId: string, pending?: readonly PendingCall[]): void {
    const { sessionId } = this.#owner;
    const finishReason = pending ? "tool-calls" : "stop";
    const end = { type: "turn_end", sessionId, turnId, finishReason, usage: {} } as const;
    if (!pending) return this.#end(end);
    this.#suspension ??= end;
    this.leave(pending);
  }

  /** Ends the handle with an error if it waits for answers, or for what follows from them. */
  failSuspended(thrown: unknown): void {
    if (this.#suspension !== undefined || this.#answered.length > 0) this.fail(thrown);
  }

  /** Ends the handle with an error: the turn never started, or cannot be followed any more. */
  fail(thrown: unknown): void {
    if (this.#isOver) return;
    const error = serializeError(thrown);
    const { id: turnId } = this;
    const { sessionId } = this.#owner;
    this.#queue.push({ type: "error", sessionId, turnId, error });
    this.#end({ finishReason: "error", error });
  }

  #end({
    finishReason,
    pending,
    error,
  }: Pick<
    Extract<SessionEvent, { type: "turn_end" }>,
    "finishReason" | "pending" | "error"
  >): void {
    this.#isOver = true;
    this.#left = pending ?? [];
    this.#noteCalls();
    this.#queue.end();
    const messages = this.#messages;
    const ending = { finishReason, ...(pending && { pending }), ...(error && { error }) };
    this.#owner.onTurnOver(this);
    this.#resolve({
      ...toTurnResponse({ messages, usage: this.#usage, ...ending }),
      ...(this.#cost !== undefined && { cost: this.#cost }),
    });
  }
}

/** Id of the first turn of this turn's chain. */
export function rootOf(turnId: string): string {
  const [root = turnId] = turnId.split(chainMark, 1);
  return root;
}

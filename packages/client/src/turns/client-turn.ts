/** The handle of a turn that a server runs: with the turns that continue it, as far as this client makes them continue. */
import type {
  AgentEvent,
  ChatMessage,
  PendingCall,
  Turn,
  TurnResponse,
  Usage,
} from "@capstan/kernel";
import {
  abortReasonOf,
  addUsage,
  background,
  EventQueue,
  serializeError,
  toTurnResponse,
} from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import { chainMark } from "@capstan/log";
import { ReadPosition } from "../stream/read-position.ts";

/** What a handle needs of its session. */
export interface TurnOwner {
  readonly sessionId: string;
  abortSoon(turn: ClientTurn, reason: string | undefined): void;
  /** Those of them that somebody else has to answer. Undefined: this client answers one, or the turn has gone on. */
  leftToOthers(pending: readonly PendingCall[], turnId: string): readonly PendingCall[] | undefined;
  onTurnOver(turn: ClientTurn): void;
}

export class ClientTurn implements Turn {
  readonly id: string;
  readonly response: Promise<TurnResponse>;
  readonly #owner: TurnOwner;
  readonly #queue = new EventQueue();
  readonly #resolve: (response: TurnResponse) => void;
  readonly #position = new ReadPosition();
  #root: string;
  #isOver = false;
  /** How the last turn of the chain ended, while others of it may come. */
  #suspension: Extract<AgentEvent, { type: "turn_end" }> | undefined;
  /** Calls that this handle is the answer to. */
  #answered: readonly string[] = [];
  #inputIds: readonly string[] = [];
  readonly #messages: ChatMessage[] = [];
  #usage: Usage = {};
  #cost: number | undefined;

  constructor(id: string, owner: TurnOwner) {
    const { promise, resolve } = Promise.withResolvers<TurnResponse>();
    this.id = id;
    this.response = promise;
    this.#resolve = resolve;
    this.#owner = owner;
    this.#root = rootOf(id);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get events(): AsyncIterable<AgentEvent> {
    return this.#queue;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  result(): Promise<TurnResponse> {
    return this.response;
  }

  abort(reason?: string): void {
    if (!this.#isOver) this.#owner.abortSoon(this, reason);
  }

  /** The first turn of its chain. */
  get root(): string {
    return this.#root;
  }

  /** Aborts the turn with this signal, while it is not over. */
  abortOn(signal: AbortSignal): void {
    const abort = (): void => {
      const { reason } = signal as { readonly reason: unknown };
      this.abort(abortReasonOf(reason));
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    background(
      this.response.then(() => signal.removeEventListener("abort", abort)),
      () => {},
    );
  }

  /** The chain of this turn, after this cursor. */
  follow(turnId: string, after: Cursor): void {
    this.#root = rootOf(turnId);
    this.#position.moveTo(after);
  }

  onAnswering(toolCallIds: readonly string[]): void {
    this.#answered = toolCallIds;
  }

  /** Takes the next event of the session, if it is of this chain and new. */
  take(event: AgentEvent, cursor: Cursor): void {
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
      case "turn_end":
        this.#usage = addUsage(this.#usage, event.usage);
        if (event.cost !== undefined) this.#cost = (this.#cost ?? 0) + event.cost;
        if (event.pending === undefined) return this.#end(event);
        this.#suspension = event;
        return this.leave(event.pending);
      default:
        return;
    }
  }

  /** These calls wait. If only others can answer them, this is the end of the handle. */
  leave(pending: readonly PendingCall[]): void {
    if (this.#suspension === undefined) return;
    // The end of a turn may tell of calls that were answered just behind it.
    const open = pending.filter(({ toolCallId }) => !this.#answered.includes(toolCallId));
    const left = this.#owner.leftToOthers(open, this.#suspension.turnId);
    if (left !== undefined) this.#end({ ...this.#suspension, pending: left });
  }

  /** The same for answers that have started nothing, as others are missing. */
  leaveUnstarted(turnId: string, pending: readonly PendingCall[]): void {
    this.#suspension ??= {
      type: "turn_end",
      conversationId: this.#owner.sessionId,
      turnId,
      finishReason: "tool-calls",
      usage: {},
    };
    this.leave(pending);
  }

  /** The turn never came to be, or nobody here can follow it any more. */
  fail(thrown: unknown): void {
    if (this.#isOver) return;
    const error = serializeError(thrown);
    const { id: turnId } = this;
    const conversationId = this.#owner.sessionId;
    this.#queue.push({ type: "error", conversationId, turnId, error });
    this.#end({ finishReason: "error", error });
  }

  #end({
    finishReason,
    pending,
    error,
  }: Pick<Extract<AgentEvent, { type: "turn_end" }>, "finishReason" | "pending" | "error">): void {
    this.#isOver = true;
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

/** Of the chain that the turn belongs to. */
export function rootOf(turnId: string): string {
  const [root = turnId] = turnId.split(chainMark, 1);
  return root;
}

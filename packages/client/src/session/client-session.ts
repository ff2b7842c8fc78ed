/** One session of a server, with the interface of a session in process. */
import type { Turn } from "@capstan/kernel";
import type {
  Answer,
  Approval,
  CallToDecide,
  Cursor,
  EventListener,
  ExecuteOptions,
  ForkReply,
  QueuedInput,
  QueueReply,
  SessionEvent,
} from "@capstan/log";
import { ShownCalls, newId } from "@capstan/log";
import { ClientError, isRefusal } from "../errors/client-error.ts";
import type { Connection } from "../stream/connection.ts";
import { jsonOf } from "../stream/connection.ts";
import type { LentCallOptions } from "../lent-tools/lent-calls.ts";
import { pause } from "../stream/pause.ts";
import type { ClientSessionState } from "../mirror/session-mirror.ts";
import type { Subscription } from "../turns/session-runtime.ts";
import { SessionRuntime } from "../turns/session-runtime.ts";
import type { SessionStart, TurnInput } from "../turns/turn-handles.ts";
import { TurnHandles } from "../turns/turn-handles.ts";

/** Input that starts a turn, or answers to pending calls. */
export type SendInput = TurnInput | readonly Answer[];

export interface SendOptions extends ExecuteOptions {
  /** Id of the turn. Sending it again gives the same turn. */
  readonly id?: string;
  /** Aborts the turn. */
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  /** Stops waiting for the server. A request that has reached it is not undone. */
  readonly signal?: AbortSignal;
}

export interface QueueOptions extends CallOptions {
  /** Sending the same id again has no effect. */
  readonly id?: string;
}

export interface RewindOptions extends QueueOptions {
  /** Removes the message too. Default false. */
  readonly before?: boolean;
}

/** Parts that a session is built from. */
export interface SessionParts {
  readonly connection: Connection;
  readonly lent: LentCallOptions;
  readonly start: SessionStart;
  /** True if nothing was sent to it yet. */
  readonly isNew: boolean;
}

export class ClientSession {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #runtime: SessionRuntime;
  readonly #turns: TurnHandles;
  readonly #shown: ShownCalls;

  constructor(id: string, parts: SessionParts) {
    this.id = id;
    this.#parts = parts;
    this.#runtime = new SessionRuntime(id, parts.connection, parts.lent, parts.isNew);
    this.#shown = new ShownCalls((toolCallId) => notShown(id, toolCallId));
    this.#turns = new TurnHandles(this.#runtime, parts.start, this.#shown);
  }

  /** Last known state. Events keep it current while a turn runs or there is a subscriber; `refresh` asks the server. */
  get state(): ClientSessionState {
    const { state } = this.#runtime.mirror;
    this.#shown.note(state.pendingToolCalls);
    return state;
  }

  /** Cursor of the last event. */
  get cursor(): Cursor {
    return this.#runtime.cursor;
  }

  /** Id of the last turn that is known to have started. */
  get lastTurnId(): string | undefined {
    return this.#runtime.mirror.lastTurnId;
  }

  /**
   * Starts a turn with user input, or continues one with answers to pending calls. Calls of client-side tools are run and answered automatically,
   * and the turns that continue it belong to the same handle. A refusal is reported in `response.error`, with its code.
   */
  send(input: SendInput, options: SendOptions = {}): Turn<unknown, SessionEvent> {
    const { id = newId(), signal, ...overrides } = options;
    const turn = isAnswers(input)
      ? this.#turns.sendAnswers(async () => input)
      : this.#turns.sendInput(input, id, overrides);
    if (signal !== undefined) turn.abortOn(signal);
    return turn;
  }

  /** Lets a call that waits for an approval run, with exactly the input that was shown. A bare id is `not_shown` if this handle has not shown the call. */
  approve(call: CallToDecide): Turn<unknown, SessionEvent> {
    return this.#decide(() => this.#shown.toApproval(call, true));
  }

  /** Refuses a call that waits for an approval; the model gets the reason. The call is named as in `approve`. */
  deny(call: CallToDecide, reason?: string): Turn<unknown, SessionEvent> {
    return this.#decide(() => this.#shown.toApproval(call, false, reason));
  }

  /** The running turn, or one whose calls wait for this client, from its beginning; undefined if there is none. For a page that was reloaded. */
  current(): Promise<Turn<unknown, SessionEvent> | undefined> {
    return this.#turns.current();
  }

  /** Queues a message for the next step of the running turn; at rest it starts a turn. Resolves once it is durable. */
  steer(input: QueuedInput, options?: QueueOptions): Promise<QueueReply> {
    return this.#enqueue("steer", input, options);
  }

  /** Queues a message that starts its own turn after the running one. Resolves once it is durable. */
  followUp(input: QueuedInput, options?: QueueOptions): Promise<QueueReply> {
    return this.#enqueue("follow-up", input, options);
  }

  /** Aborts the turn with this id and those that continue it, wherever they run. Resolves once that is durable, with false if the turn had ended. */
  async abortTurn(
    turnId: string,
    { reason, ...options }: CallOptions & { readonly reason?: string } = {},
  ): Promise<boolean> {
    await this.#turns.sent();
    const body = { turnId, ...(reason !== undefined && { reason }) };
    const { isOver } = await this.#runtime.post("cancel", body, options);
    return !isOver;
  }

  /**
   * Creates a session with the same history, up to the step of this message, or up to the last complete step. The request is not retried: if its
   * response is lost, the list of sessions shows whether the fork exists.
   */
  async fork(at?: string, options: CallOptions = {}): Promise<ClientSession> {
    const body = at === undefined ? {} : { at };
    const response = await this.#runtime.request("fork", { ...options, body });
    const { sessionId } = await jsonOf<ForkReply>(response);
    return new ClientSession(sessionId, { ...this.#parts, start: {}, isNew: false });
  }

  /**
   * Makes this message the last one of the history, with the results of its calls; with `before`, removes it too. Fails with `turn_unfinished`
   * while a turn runs, and with `invalid_input` if the history has no such message.
   */
  async rewind(
    messageId: string,
    { id = newId(), before = false, ...options }: RewindOptions = {},
  ): Promise<void> {
    await this.#turns.sent();
    await this.#runtime.post("rewind", { to: messageId, before, id }, options);
    await this.#runtime.refresh();
  }

  /** Deletes the session with all its messages. */
  async delete(options: CallOptions = {}): Promise<void> {
    try {
      await this.#runtime.remove(options);
    } catch (thrown) {
      // An earlier request may have deleted it, and its response was lost.
      if (!isRefusal(thrown, "not_found")) throw thrown;
    }
    this.#runtime.onLost(new ClientError("not_found", `No session "${this.id}" any more`));
  }

  /** Reads the state from the server. */
  async refresh(): Promise<ClientSessionState> {
    await this.#runtime.refresh();
    return this.state;
  }

  /**
   * Calls the listener with every event from now on, without a gap, even if the connection is lost; live parts that were missed arrive as one
   * `snapshot`. Calls of client-side tools are run while subscribed. Returns a function that unsubscribes.
   */
  subscribe(listener: EventListener, options: Omit<Subscription, "listener"> = {}): () => void {
    const show: EventListener = (event, cursor) => {
      this.#shown.noteEvent(event);
      return listener(event, cursor);
    };
    return this.#runtime.subscribe({ listener: show, ...options });
  }

  /** Resolves once nothing runs and nothing will start by itself. Calls may still wait for other clients. */
  async waitForIdle({ signal }: CallOptions = {}): Promise<void> {
    await this.#turns.sent();
    const { connection } = this.#parts;
    const over = [connection.closed, ...(signal === undefined ? [] : [signal])];
    let wake = new AbortController();
    let failure: ClientError | undefined;
    const stop = this.subscribe(
      ({ type }) => {
        if (type === "turn_end" || type === "settled") wake.abort();
      },
      {
        onError(error) {
          failure = error;
          wake.abort();
        },
      },
    );
    try {
      while (!(await this.#isIdle())) {
        // A process may end a turn and die before it reports that, so ask from time to time.
        await pause(askAgainMs, AbortSignal.any([...over, wake.signal]));
        wake = new AbortController();
        if (failure !== undefined) throw failure;
        connection.mustBeOpen(signal);
      }
    } finally {
      stop();
    }
  }

  async #isIdle(): Promise<boolean> {
    const { status, pendingToolCalls, queues } = await this.refresh();
    if (status === "running") return false;
    if (status === "awaiting_tool_execution") {
      return this.#runtime.calls.leftToOthers(pendingToolCalls) !== undefined;
    }
    return [...queues.steering, ...queues.followUp].every(({ isHeld }) => isHeld);
  }

  async #enqueue(
    name: "steer" | "follow-up",
    input: QueuedInput,
    { id = newId(), ...options }: QueueOptions = {},
  ): Promise<QueueReply> {
    await this.#turns.sent();
    return this.#runtime.post(name, { input, id }, options);
  }

  #decide(toApproval: () => Approval): Turn<unknown, SessionEvent> {
    return this.#turns.sendAnswers(async () => [toApproval()]);
  }
}

function notShown(sessionId: string, toolCallId: string): ClientError {
  const message = `This handle of session "${sessionId}" has not shown the call "${toolCallId}": pass the pending call, or look at state.pendingToolCalls first`;
  return new ClientError("not_shown", message);
}

const askAgainMs = 5_000;

function isAnswers(input: SendInput): input is readonly Answer[] {
  // Only answers have a toolCallId.
  return Array.isArray(input) && input.some((item: object) => "toolCallId" in item);
}

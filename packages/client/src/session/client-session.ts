/** One session of a server: the same ways in as in process, over HTTP. */
import type { Turn } from "@capstan/kernel";
import type {
  Answer,
  Approval,
  ClientTurnOverrides,
  Cursor,
  EventListener,
  ForkReply,
  QueuedInput,
  QueueReply,
} from "@capstan/log";
import { newId } from "@capstan/log";
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

/** What starts a turn, or answers to calls that wait. */
export type SendInput = TurnInput | readonly Answer[];

export interface SendOptions extends ClientTurnOverrides {
  /** The id of the turn. Sending it again gives the same turn. */
  readonly id?: string;
  /** Aborts the turn. */
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  /** Gives up waiting for the server. What has reached it stays. */
  readonly signal?: AbortSignal;
}

export interface QueueOptions extends CallOptions {
  /** Sending it again is sending it once. */
  readonly id?: string;
}

export interface Decision {
  /** Default true. */
  readonly approved?: boolean;
  /** For the model to read. */
  readonly reason?: string;
}

/** What a session runs with, besides its id. */
export interface SessionParts {
  readonly connection: Connection;
  readonly lent: LentCallOptions;
  readonly start: SessionStart;
  /** Nobody has sent anything to it. */
  readonly isNew: boolean;
}

export class ClientSession {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #runtime: SessionRuntime;
  readonly #turns: TurnHandles;

  constructor(id: string, parts: SessionParts) {
    this.id = id;
    this.#parts = parts;
    this.#runtime = new SessionRuntime(id, parts.connection, parts.lent, parts.isNew);
    this.#turns = new TurnHandles(this.#runtime, parts.start);
  }

  /** What is known of it. Events keep it up to date while a turn is under way or somebody has subscribed; `refresh` asks the server. */
  get state(): ClientSessionState {
    return this.#runtime.mirror.state;
  }

  /** The place of the last event. */
  get cursor(): Cursor {
    return this.#runtime.cursor;
  }

  /**
   * Starts a turn with what the user says, or goes on with answers to calls that wait. Calls of lent tools are run and answered by themselves, and the
   * turns that continue it then belong to the same handle. What is refused is the error of the response, with the code of the refusal.
   */
  send(input: SendInput, options: SendOptions = {}): Turn {
    const { id = newId(), signal, ...overrides } = options;
    const turn = isAnswers(input)
      ? this.#turns.sendAnswers(async () => input)
      : this.#turns.sendInput(input, id, overrides);
    if (signal !== undefined) turn.abortOn(signal);
    return turn;
  }

  /** Lets a call that waits for an approval run, or refuses it: exactly what was shown, and nothing else. */
  approve(toolCallId: string, decision: Decision = {}): Turn {
    return this.#turns.sendAnswers(async () => [await this.#toApproval(toolCallId, decision)]);
  }

  /** The turn under way, or one whose calls wait for this client, from its beginning; undefined where there is none. For a page that was loaded again. */
  current(): Promise<Turn | undefined> {
    return this.#turns.current();
  }

  /** For the model to see at the next boundary of the turn under way; at rest it starts one. Resolves when it is safe. */
  steer(input: QueuedInput, options?: QueueOptions): Promise<QueueReply> {
    return this.#enqueue("steer", input, options);
  }

  /** For a turn of its own when the one under way has ended. Resolves when it is safe. */
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
   * A new session with the same past: up to the step of this message, or to the end of what is complete. It is asked for once: whether one whose
   * answer was lost has come to be, the list of sessions tells.
   */
  async fork(at?: string, options: CallOptions = {}): Promise<ClientSession> {
    const body = at === undefined ? {} : { at };
    const response = await this.#runtime.request("fork", { ...options, body });
    const { sessionId } = await jsonOf<ForkReply>(response);
    return new ClientSession(sessionId, { ...this.#parts, start: {}, isNew: false });
  }

  /** Removes it, with everything that was said in it. */
  async delete(options: CallOptions = {}): Promise<void> {
    try {
      await this.#runtime.remove(options);
    } catch (thrown) {
      // Perhaps by a request whose answer was lost.
      if (!isRefusal(thrown, "not_found")) throw thrown;
    }
    this.#runtime.onLost(new ClientError("not_found", `There is no session "${this.id}" any more`));
  }

  /** Asks the server what the session is. */
  async refresh(): Promise<ClientSessionState> {
    await this.#runtime.refresh();
    return this.state;
  }

  /**
   * Calls the listener with every event from now on, without a gap, however often the connection is lost; what was only live and is gone comes as one
   * `snapshot`. Calls of lent tools are run meanwhile. Returns how to stop.
   */
  subscribe(listener: EventListener, options: Omit<Subscription, "listener"> = {}): () => void {
    return this.#runtime.subscribe({ listener, ...options });
  }

  /** Resolves when nothing runs and nothing will by itself: calls may still wait for answers of others. */
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
        // What another process ended, and died before it said so, is asked for.
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

  async #toApproval(toolCallId: string, { approved = true, reason }: Decision): Promise<Approval> {
    const hash = this.#hashOf(toolCallId) ?? (await this.refresh(), this.#hashOf(toolCallId));
    if (hash === undefined) {
      const message = `No call "${toolCallId}" of session "${this.id}" waits: take one of state.pendingToolCalls`;
      throw new ClientError("not_pending", message);
    }
    return { toolCallId, hash, approved, ...(reason !== undefined && { reason }) };
  }

  #hashOf(toolCallId: string): string | undefined {
    return this.state.pendingToolCalls.find((call) => call.toolCallId === toolCallId)?.hash;
  }
}

const askAgainMs = 5_000;

function isAnswers(input: SendInput): input is readonly Answer[] {
  // Only answers name a call.
  return Array.isArray(input) && input.some((item: object) => "toolCallId" in item);
}

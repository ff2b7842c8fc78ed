/** One session of a server, with the interface of a session in process. */
import type { Turn } from "@capstan/kernel";
import { background } from "@capstan/kernel";
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
  TreeListener,
} from "@capstan/log";
import { ShownCalls, formatCursor, newId } from "@capstan/log";
import { ClientError, isRefusal } from "../errors/client-error.ts";
import type { Connection } from "../stream/connection.ts";
import { jsonOf, toClientError } from "../stream/connection.ts";
import type { LentCallOptions } from "../lent-tools/lent-calls.ts";
import type { ClientSessionState } from "../mirror/session-mirror.ts";
import type { ClientChildState } from "../tree/child-views.ts";
import type { Subscription } from "../turns/session-runtime.ts";
import { SessionRuntime } from "../turns/session-runtime.ts";
import type { SessionStart, TurnInput } from "../turns/turn-handles.ts";
import { TurnHandles } from "../turns/turn-handles.ts";

/** Input that starts a turn, or answers to pending calls. */
export type SendInput = TurnInput | readonly Answer[];

/** Options of `send`: settings for one turn, the id of the message, and a signal that aborts the turn. */
export interface SendOptions extends Omit<ExecuteOptions, "tree"> {
  /** Id of the turn. Sending it again gives the same turn. */
  readonly id?: string;
  /** Aborts the turn. */
  readonly signal?: AbortSignal;
}

/** Options of one request. An abort of the signal cancels the request, not the turn. */
export interface CallOptions {
  /** Stops waiting for the server. A request that has reached it is not undone. */
  readonly signal?: AbortSignal;
}

/** Options of a queued message. Repeating an `id` is safe: the message is stored once. */
export interface QueueOptions extends CallOptions {
  /** Sending the same id again has no effect. */
  readonly id?: string;
}

/** Options of `rewind`. */
export interface RewindOptions extends QueueOptions {
  /** Removes the message too. Default false. */
  readonly before?: boolean;
}

/**
 * Options of `subscribe`: whether child sessions are included, the cursor to continue after, and where errors go.
 */
export interface SubscribeOptions extends Pick<Subscription, "onError"> {
  /** Delivers the events of child sessions, too, at any depth. `children` has their state. Default false. */
  readonly tree?: boolean;
  /**
   * With `tree`: composite cursor of the last event that the reader has. Default: the session from now on, and children at work from the beginning of
   * their work.
   */
  readonly after?: string;
}

/** Parts that a session is built from. */
export interface SessionParts {
  readonly connection: Connection;
  readonly lent: LentCallOptions;
  readonly start: SessionStart;
  /** True if nothing was sent to it yet. */
  readonly isNew: boolean;
}

/**
 * A session of a server: sends, answers, steers and follows it. Made by `client.session`; holds no connection
 * while it is neither sending nor subscribed.
 */
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
    this.#shown = new ShownCalls(id, notShown);
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

  /** Child sessions at work since a subscription with `tree` began: one list until something changes. */
  get children(): readonly ClientChildState[] {
    return this.#runtime.trees[0]?.list ?? noChildren;
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
   * `snapshot`. Calls of client-side tools are run while subscribed. With `tree`, also with the events of the sessions below it, in no particular
   * order between two sessions. Returns a function that unsubscribes.
   */
  subscribe(
    listener: TreeListener,
    { tree: isTree, after, ...options }: SubscribeOptions = {},
  ): () => void {
    const runtime = this.#runtime;
    if (!isTree) {
      const show: EventListener = (event, cursor) => {
        this.#shown.noteEvent(event);
        return listener(event, cursor, { cursor: formatCursor(cursor) });
      };
      return runtime.subscribe({ listener: show, ...options });
    }
    const openTree = (): (() => void) => {
      const left = new AbortController();
      // Loaded with the first subscription: most pages show one session.
      const begun = import("../tree/follow-tree.ts").then(({ followTree }) =>
        followTree(runtime, { listener, after, shown: this.#shown, signal: left.signal }),
      );
      background(begun, (thrown) => runtime.onLost(toClientError(thrown)));
      return () => left.abort();
    };
    return runtime.subscribe({ openTree, ...options });
  }

  /** Resolves once nothing runs and nothing will start by itself. Calls may still wait for other clients. */
  async waitForIdle({ signal }: CallOptions = {}): Promise<void> {
    await this.#turns.sent();
    // Loaded with the first call: pages follow a session instead.
    const { waitForIdle } = await import("../turns/wait-for-idle.ts");
    await waitForIdle(this.#runtime, signal);
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

const noChildren: readonly ClientChildState[] = [];

function isAnswers(input: SendInput): input is readonly Answer[] {
  // Only answers have a toolCallId.
  return Array.isArray(input) && input.some((item: object) => "toolCallId" in item);
}

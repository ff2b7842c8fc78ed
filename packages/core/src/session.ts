/** One conversation: everything that lasts of it is in its log, and this is the way in. */
import type { ChatMessage, PendingCall, Turn, Usage, UserMessage } from "@capstan/kernel";
import type {
  Cursor,
  PlacedEvent,
  PostedBody,
  QueuedItem,
  Refusal,
  SessionConfig,
  SessionFold,
  SessionStatus,
} from "@capstan/log";
import { RepositoryError, startCursor } from "@capstan/log";
import { background } from "./background.ts";
import type { Answer, SendInput, SendOptions } from "./input.ts";
import { checkTurnId, isAnswers, toAnswerBody, toMessage, toMessages } from "./input.ts";
import type { EventListener } from "./readers.ts";
import { onlyBehind } from "./readers.ts";
import type { Receipt } from "./receipts.ts";
import { SessionError, refused, toSessionError } from "./session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import { createdEntry, headOfNew } from "./session-host.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { SessionTurn } from "./session-turn.ts";

/** What can be changed of a session. */
export type SessionSettings = Pick<SessionConfig, "steeringMode" | "followUpMode" | "title">;

export interface SubscribeFrom {
  /** Events behind this place are given first, from the log. */
  readonly after?: Cursor;
}

/** How long a subscriber waits for a store that failed. */
const retryMs = 1_000;

export class Session {
  readonly id: string;
  readonly #host: SessionHost;
  readonly #runtime: SessionRuntime;
  /** What the session is created with at its first send; undefined once it is there. */
  #origin: SessionOrigin | undefined;
  #creating: Promise<void> | undefined;
  #createdId: string | undefined;
  /** Sends and answers on their way to the log. */
  #sending: Promise<unknown> = Promise.resolve();

  /** With an origin it does not exist yet, and is created at the first send. */
  constructor(runtime: SessionRuntime, host: SessionHost, origin?: SessionOrigin) {
    this.id = runtime.id;
    this.#host = host;
    this.#runtime = runtime;
    this.#origin = origin;
  }

  get status(): SessionStatus {
    return this.#fold.status;
  }

  get messages(): readonly ChatMessage[] {
    return this.#fold.transcript.messages;
  }

  get pendingToolCalls(): readonly PendingCall[] {
    return this.#fold.pending;
  }

  get usage(): Usage {
    return this.#fold.usage.total;
  }

  get title(): string | undefined {
    return this.#fold.title;
  }

  /** What was sent and has not reached the model, in the order in which it came. */
  get queued(): readonly QueuedItem[] {
    return this.#fold.queues.items;
  }

  /** What the session has cost, as far as that was recorded; undefined where nothing was. */
  get totalCost(): number | undefined {
    const costs = this.#fold.usage.priced.flatMap(({ cost }) => cost ?? []);
    return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
  }

  /** The turn under way, also one that this process found unfinished. */
  get current(): Turn | undefined {
    const { turn, acceptedInput } = this.#fold;
    const id = turn?.isOver === false ? turn.turnId : acceptedInput?.id;
    if (id === undefined) return undefined;
    return this.#runtime.readers.findTurn(id) ?? this.#join(this.#sharedTurn(id), id);
  }

  /**
   * Starts a turn with a message, or goes on with answers to calls that wait. What is refused, and a store that fails, is the error
   * of the response. A partial set of answers gives a turn that is awaiting the others.
   */
  send(input: SendInput, options: SendOptions = {}): Turn {
    return isAnswers(input) ? this.#sendAnswers(input) : this.#sendInput(input, options);
  }

  /** For the model to see at the next boundary of the turn under way; at rest it starts one. Resolves when it is safe. */
  async steer(content: string | UserMessage, options: SendOptions = {}): Promise<Receipt> {
    return this.#enqueue("steer", content, options);
  }

  /** For a turn of its own when the one under way has ended. Resolves when it is safe. */
  async followUp(content: string | UserMessage, options: SendOptions = {}): Promise<Receipt> {
    return this.#enqueue("follow_up", content, options);
  }

  /** The answer to one message. Throws a `SessionError` if there is none. */
  async run(input: Exclude<SendInput, readonly Answer[]>): Promise<string> {
    const { status, text, error, finishReason } = await this.send(input).response;
    if (status === "completed") return text;
    const why = error?.message ?? `it ended ${status} (${finishReason})`;
    const message = `The turn gave no answer: ${why}`;
    throw new SessionError("no_answer", message, { sessionId: this.id });
  }

  /**
   * Takes back what is queued and has not reached the model. Resolves when it is known what was: the ids of those that are returned. A turn
   * under way comes to its end first.
   */
  async clearQueue(queue: "steering" | "followUp" | "all" = "all"): Promise<readonly string[]> {
    if (this.#origin !== undefined) return [];
    await this.#post({ type: "queue_cleared", queue });
    const receipts = this.#fold.queues
      .returning()
      .map((item) => this.#runtime.receipts.of(item.id));
    this.#runtime.wake();
    const outcomes = await Promise.all(
      receipts.map(async ({ id, outcome }) => ({ id, outcome: await outcome })),
    );
    return outcomes.filter(({ outcome }) => outcome.type === "returned").map(({ id }) => id);
  }

  /** Sets how many queued messages a step or a turn takes, and the title. It holds from the next boundary on, in every process. */
  async configure(config: SessionSettings): Promise<void> {
    await this.#ensureCreated();
    await this.#post({ type: "config", config });
  }

  /** Stops the turn under way or waiting, wherever it runs. Resolves when that is recorded; without a turn nothing happens. */
  async abort(reason?: string): Promise<void> {
    await this.#sending;
    if (this.#origin !== undefined) return;
    await this.#runtime.log.catchUp();
    const { turn, acceptedInput } = this.#fold;
    const isUnfinished = turn !== undefined && (!turn.isOver || turn.isSuspended);
    const turnId = isUnfinished ? turn.turnId : acceptedInput?.id;
    if (turnId !== undefined) await this.#cancel(turnId, reason);
  }

  /** Calls the listener with every event from now on, or from a place on. Returns how to stop. */
  subscribe(listener: EventListener, { after }: SubscribeFrom = {}): () => void {
    const subscription = { isOver: false, stop: (): unknown => undefined };
    const deliver = onlyBehind(listener, after);
    const join = (): void => {
      if (!subscription.isOver) subscription.stop = this.#runtime.readers.add(deliver);
    };
    const show = (events: readonly PlacedEvent[]): void => {
      for (const { event, cursor } of events) if (!subscription.isOver) deliver(event, cursor);
    };
    if (after === undefined || this.#origin !== undefined) {
      join();
      this.#runtime.follow();
    } else this.#replay(after, show, join, () => subscription.isOver);
    return () => {
      subscription.isOver = true;
      subscription.stop();
    };
  }

  /** Resolves when nothing runs and nothing will by itself: calls may still wait for answers. */
  async waitForIdle(): Promise<void> {
    await this.#sending;
    await this.#runtime.waitForIdle();
  }

  /** Goes on trying while the store fails: a subscriber is not told less than it asked for. */
  #replay(
    after: Cursor,
    show: (events: readonly PlacedEvent[]) => void,
    join: () => void,
    isOver: () => boolean,
  ): void {
    background(this.#runtime.replay(after, show, join), (thrown) => {
      const isGone = thrown instanceof RepositoryError && thrown.code === "not_found";
      if (isGone || isOver()) return;
      this.#host.clock.timer(retryMs, () => this.#replay(after, show, join, isOver));
    });
  }

  get #agentName(): string {
    return this.#fold.created?.agent ?? this.#origin?.agent ?? "";
  }

  get #fold(): SessionFold {
    return this.#runtime.log.fold;
  }

  #sendInput(input: Exclude<SendInput, readonly Answer[]>, options: SendOptions): Turn {
    const id = options.id ?? this.#host.newId();
    const known = this.#runtime.readers.findTurn(id);
    if (known !== undefined) return known;
    return this.#track(this.#sharedTurn(id), async (turn) => {
      const messages = toMessages(input, checkTurnId(id));
      await this.#ensureCreated();
      await this.#runtime.log.post(id, { type: "input", messages });
      this.#throwIfRefused(id);
      this.#join(turn, id);
      this.#runtime.wake();
    });
  }

  #sendAnswers(answers: readonly Answer[]): Turn {
    const { turn: last } = this.#fold;
    const id = last?.isOver === true ? last.nextId() : last?.turnId;
    return this.#track(this.#newTurn(id ?? this.#host.newId()), async (turn) => {
      this.#mustExist();
      const ids = answers.map(() => this.#host.newId());
      for (const [index, answer] of answers.entries()) {
        await this.#runtime.log.post(ids[index] ?? "", toAnswerBody(answer));
      }
      for (const entryId of ids) this.#throwIfRefused(entryId, "already_answered");
      this.#followAnswers(turn);
      this.#runtime.wake();
    });
  }

  /** The answers are taken by the turn under way, or by one that continues it; or they wait for the others. */
  #followAnswers(handle: SessionTurn): void {
    const { turn } = this.#fold;
    const action = this.#fold.nextAction(this.#host.clock.now());
    if (action.type === "continue") this.#join(handle, action.turnId);
    else if (turn?.isSuspended === true) this.#leaveWaiting(handle);
    else this.#join(handle, turn?.turnId ?? handle.id);
  }

  /** Brings the turn into the log; if that fails, so does the turn. */
  #track(turn: SessionTurn, bring: (turn: SessionTurn) => Promise<void>): Turn {
    const sent = bring(turn).catch((thrown: unknown) => {
      this.#runtime.readers.removeTurn(turn);
      turn.fail(toSessionError(this.id, thrown));
    });
    this.#sending = Promise.all([this.#sending, sent]);
    return turn;
  }

  #newTurn(id: string): SessionTurn {
    const cancel = async (reason: string | undefined): Promise<void> => {
      await this.#sending;
      await this.#cancel(id, reason);
    };
    // Whoever needs to know that it is safe calls `session.abort`.
    return new SessionTurn(
      id,
      (reason) => background(cancel(reason), () => {}),
      (response) => this.#host.agent(this.#agentName).complete(response),
    );
  }

  /** The handle that everybody gets who asks for this turn. Those of answers may fail by themselves. */
  #sharedTurn(id: string): SessionTurn {
    const turn = this.#newTurn(id);
    this.#runtime.readers.keepTurn(turn);
    return turn;
  }

  /** From now on the handle gets the events of this turn; what the log has of it already comes first. */
  #join(turn: SessionTurn, turnId: string): SessionTurn {
    const { readers } = this.#runtime;
    const action = this.#fold.nextAction(this.#host.clock.now());
    const isAhead = action.type === "start" || action.type === "continue";
    if (isAhead && action.turnId === turnId) {
      readers.addTurn(turn, turnId);
      return turn;
    }
    const show = (events: readonly PlacedEvent[]): void => {
      for (const { event } of events) if (event.turnId === turnId) turn.take(event);
    };
    const join = (): void => {
      if (!turn.isOver) readers.addTurn(turn, turnId);
    };
    background(this.#runtime.replay(startCursor, show, join), (thrown) =>
      turn.fail(toSessionError(this.id, thrown)),
    );
    return turn;
  }

  async #enqueue(
    type: "steer" | "follow_up",
    content: string | UserMessage,
    options: SendOptions,
  ): Promise<Receipt> {
    const id = checkTurnId(options.id ?? this.#host.newId());
    const message = toMessage(content, id);
    try {
      await this.#ensureCreated();
      await this.#runtime.log.post(id, { type, message });
    } catch (thrown) {
      throw toSessionError(this.id, thrown);
    }
    const receipt = this.#runtime.receipts.of(id);
    this.#runtime.wake();
    return receipt;
  }

  async #cancel(turnId: string, reason: string | undefined): Promise<void> {
    const named = { type: "cancel_requested", turnId } as const;
    await this.#post(reason === undefined ? named : { ...named, reason });
    this.#runtime.wake();
  }

  async #post(body: PostedBody): Promise<void> {
    try {
      await this.#runtime.log.post(this.#host.newId(), body);
    } catch (thrown) {
      throw toSessionError(this.id, thrown);
    }
  }

  async #ensureCreated(): Promise<void> {
    if (this.#origin === undefined) return;
    await (this.#creating ??= this.#create(this.#origin));
  }

  async #create(origin: SessionOrigin): Promise<void> {
    const at = this.#host.clock.now();
    const id = (this.#createdId ??= this.#host.newId());
    try {
      await this.#runtime.log.create(createdEntry(origin, id, at), headOfNew(origin, at));
    } catch (thrown) {
      // An earlier try may have reached the store, though its answer did not reach us.
      if (!(thrown instanceof RepositoryError) || thrown.code !== "exists") throw thrown;
      await this.#runtime.log.catchUp();
      if (this.#fold.created?.id !== id) throw thrown;
    } finally {
      this.#creating = undefined;
    }
    this.#origin = undefined;
    this.#runtime.attend();
  }

  #mustExist(): void {
    if (this.#origin === undefined) return;
    const message = `Session ${this.id} has no turn yet: there is nothing to answer`;
    throw new SessionError("not_pending", message, { sessionId: this.id });
  }

  #throwIfRefused(entryId: string, except?: Refusal): void {
    const refusal = this.#fold.refusalOf(entryId);
    if (refusal !== undefined && refusal !== except) throw refused(this.id, refusal);
  }

  /** Other calls have no answer yet. */
  #leaveWaiting(turn: SessionTurn): void {
    turn.end({
      status: "awaiting_tool_execution",
      text: "",
      messages: [],
      finishReason: "tool-calls",
      usage: {},
      pendingToolCalls: this.#fold.pending,
    });
  }
}

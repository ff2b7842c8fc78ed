/** One conversation: everything that lasts of it is in its log, and this is the way in. */
import type { ChatMessage, PendingCall, ToolContent, Turn, Usage } from "@capstan/kernel";
import type {
  CallClaim,
  Cursor,
  EventListener,
  QueuedItem,
  SessionConfig,
  SessionFold,
  SessionStatus,
} from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { checkHistory } from "../input/check-history.ts";
import type { SendInput, SendOptions, TurnInput, TurnRequest } from "../input/input.ts";
import { checkTurnId, isAnswers, isRequest, toMessages } from "../input/input.ts";
import type { Receipt } from "../following/receipts.ts";
import { blobsOf, storeFork, toSnapshot } from "./copies.ts";
import { SessionError, invalid, refused, toSessionError } from "../errors/session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import type { CompactionResult, CompactOptions } from "./compaction-request.ts";
import { askForCompaction, mustBeCompactable } from "./compaction-request.ts";
import { SessionInbox } from "./session-inbox.ts";
import type { QueuedInput } from "./session-queues.ts";
import { enqueue, takeBack } from "./session-queues.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { PartOfLog } from "../owner/session-log.ts";
import type { SessionSettings } from "./session-settings.ts";
import { toConfig } from "./session-settings.ts";
import type { SessionSnapshot } from "./snapshot.ts";
import type { SessionTurn } from "../following/session-turn.ts";
import type {
  SessionReading,
  SessionReadingPage,
  SessionUsage,
  SessionState,
} from "./session-state.ts";
import { stateOf, usageOf } from "./session-state.ts";
import { subscribeAfter } from "../following/subscribe-after.ts";
import { TurnHandles } from "../following/turn-handles.ts";

export interface SubscribeFrom {
  /** Events behind this place are given first, from the log. */
  readonly after?: Cursor;
  /** Called once, if nothing more can come: the session was deleted, or its log cannot be read. */
  readonly onEnd?: (why: SessionError) => void;
  /** Asked after each page of events from the log: a promise holds the next one back, so that a slow subscriber does not get a long log at once. */
  readonly ready?: () => Promise<void> | undefined;
}

export class Session<Output = unknown> {
  readonly id: string;
  readonly #host: SessionHost;
  readonly #runtime: SessionRuntime;
  readonly #inbox: SessionInbox;
  readonly #turns: TurnHandles;

  /** With an origin it does not exist yet, and is created at the first send. */
  constructor(runtime: SessionRuntime, host: SessionHost, origin?: SessionOrigin) {
    this.id = runtime.id;
    this.#host = host;
    this.#runtime = runtime;
    this.#inbox = new SessionInbox(runtime, host, origin);
    this.#turns = new TurnHandles(runtime, host, this.#inbox);
  }

  get status(): SessionStatus {
    return this.#fold.status;
  }

  get messages(): readonly ChatMessage[] {
    // A list of its own: that of the fold grows.
    return [...this.#fold.transcript.messages];
  }

  get pendingToolCalls(): readonly PendingCall[] {
    return this.#fold.pending;
  }

  /** Who runs which of them at the moment, or did when their time ran out. */
  get claims(): readonly CallClaim[] {
    return this.#fold.claims;
  }

  get usage(): Usage {
    return this.#fold.usage.total;
  }

  /** What the session has cost, as far as that was recorded; undefined where nothing was. */
  get totalCost(): number | undefined {
    return this.getUsage().cost;
  }

  get title(): string | undefined {
    return this.#fold.title;
  }

  /** The name of its agent. */
  get agent(): string {
    return this.#fold.created?.agent ?? "";
  }

  /** The place of the last event. */
  get cursor(): Cursor {
    return this.#runtime.log.feed.cursor;
  }

  /** Seq of the last entry that is known here; 0 before the session is stored. */
  get lastSeq(): number {
    return this.#runtime.log.fold.seq;
  }

  /** Tells it from other sessions of its id, before and after it. Undefined before it is stored. */
  get incarnation(): string | undefined {
    return this.#runtime.log.incarnation;
  }

  /** Whether it was found to be deleted, or its id to be another session's: this handle is of no use any more, and to open it again gives what is there now. */
  get isGone(): boolean {
    return this.#runtime.isGone;
  }

  /** Who it belongs to, where that was said. */
  get principal(): string | undefined {
    return this.#fold.created?.principal;
  }

  /** What it runs with instead of what its agent says. */
  get config(): SessionConfig {
    return this.#fold.config;
  }

  /** What was sent and has not reached the model, in the order in which it came. */
  get queued(): readonly QueuedItem[] {
    return this.#fold.queues.items;
  }

  /** All of it at this moment. */
  get state(): SessionState {
    const message = this.#runtime.log.feed.openMessage;
    return stateOf(this.#fold, this.#agent, message);
  }

  /** The turn under way, also one that this process found unfinished. */
  get current(): Turn<Output> | undefined {
    const turn = this.#turns.current();
    return turn && this.#typed(turn);
  }

  /**
   * Starts a turn with a message, or goes on with answers to calls that wait. What is refused, and a store that fails, is the error
   * of the response. A partial set of answers gives a turn that is awaiting the others.
   */
  send(input: SendInput, options: SendOptions = {}): Turn<Output> {
    if (isAnswers(input)) return this.#typed(this.#turns.sendAnswers(input, options));
    if (isRequest(input)) return this.send(input.input, { ...input, ...options });
    const toInput = (id: string): readonly ChatMessage[] => toMessages(input, id, options.metadata);
    return this.#typed(this.#turns.sendInput(toInput, options));
  }

  /** Synonym of `send`. */
  turn(request: TurnRequest): Turn<Output> {
    return this.send(request);
  }

  /** Resolves when everything that was sent here is in the log, or was refused. */
  async flush(): Promise<void> {
    await this.#turns.sending;
  }

  /** Synonym of `send`. */
  runStream(input: TurnInput, options?: SendOptions): Turn<Output> {
    return this.send(input, options);
  }

  /** The answer to one message. Throws a `SessionError` if there is none. */
  async run(input: TurnInput, options?: SendOptions): Promise<string> {
    const { status, text, error, finishReason } = await this.send(input, options).response;
    if (status === "completed") return text;
    const why = error?.message ?? `it ended ${status} (${finishReason})`;
    const message = `Session ${this.id} gave no answer: ${why}. To get what there is without an error, use send`;
    throw new SessionError("no_answer", message, {
      sessionId: this.id,
      ...(error && { turnError: error }),
    });
  }

  /**
   * Starts a turn with what is there: a message that has no reply yet, as after a failure, or what is queued and held. The error of the
   * response is `cannot_continue` where nothing waits for a reply.
   */
  continue(options: SendOptions = {}): Turn<Output> {
    return this.#typed(this.#turns.sendInput(undefined, options));
  }

  /** For the model to see at the next boundary of the turn under way; at rest it starts one. Resolves when it is safe. */
  async steer(content: QueuedInput, options: Pick<SendOptions, "id"> = {}): Promise<Receipt> {
    const id = options.id ?? this.#host.newId();
    return enqueue("steer", id, content, this.#inbox, this.#runtime);
  }

  /** For a turn of its own when the one under way has ended. Resolves when it is safe. */
  async followUp(content: QueuedInput, options: Pick<SendOptions, "id"> = {}): Promise<Receipt> {
    const id = options.id ?? this.#host.newId();
    return enqueue("follow_up", id, content, this.#inbox, this.#runtime);
  }

  /**
   * Takes back what is queued and has not reached the model. Resolves when it is known what was: the ids of those that are returned. A turn
   * under way comes to its end first.
   */
  async clearQueue(queue: "steering" | "followUp" | "all" = "all"): Promise<readonly string[]> {
    if (this.#inbox.origin !== undefined) return [];
    return takeBack(queue, this.#host.newId(), this.#inbox, this.#runtime);
  }

  /**
   * Changes what the session runs with, in every process. Queue modes hold from the next boundary on, the rest from the next turn on. Fails
   * with `invalid_input`.
   */
  async configure(settings: SessionSettings): Promise<void> {
    const config = toConfig(settings, this.#agent);
    this.#runtime.remember(settings.model);
    await this.#inbox.post(this.#host.newId(), { type: "config", config });
  }

  /**
   * Stops the turn under way or waiting, wherever it runs; without a turn, a compaction that was asked for. Resolves when that is recorded; where
   * there is neither nothing happens.
   */
  async abort(reason?: string): Promise<void> {
    await this.#turns.sending;
    if (this.#inbox.origin !== undefined) return;
    await this.refresh();
    const { turn, acceptedInput } = this.#fold;
    const isUnfinished = turn !== undefined && (!turn.isOver || turn.isSuspended);
    const turnId = isUnfinished ? turn.turnId : acceptedInput?.id;
    const ids =
      turnId === undefined ? this.#fold.compactions.waiting.map(({ id }) => id) : [turnId];
    for (const id of ids) await this.#turns.abortTurn(id, reason);
  }

  /** Aborts the turn with this id and those that continue it. Resolves with false if there is no such turn, or it has ended. */
  async abortTurn(turnId: string, reason?: string): Promise<boolean> {
    await this.#turns.sending;
    return this.#turns.abortTurn(turnId, reason);
  }

  /**
   * Tells the others that a call that waits is about to be run: until its time is over nobody else can claim it. Who claims it again has it for
   * longer. Fails with `already_claimed`, and like an answer. The answer counts, whoever gives it.
   */
  async claim(toolCallId: string, claimedBy: string, leaseMs: number): Promise<CallClaim> {
    this.#inbox.mustExist();
    const body = { type: "call_claimed", toolCallId, claimedBy, leaseMs } as const;
    await this.#inbox.post(this.#host.newId(), body);
    const claim = this.#fold.claims.find((known) => known.toolCallId === toolCallId);
    // Settled since.
    if (claim?.claimedBy !== claimedBy) throw refused(this.id, "not_pending");
    return claim;
  }

  /**
   * Replaces what was said so far by a summary, in what models are shown from now on: before the next request of the turn under way, or at once if
   * none is. The same id twice is once. Fails with `compaction_failed`.
   */
  async compact(options: CompactOptions = {}): Promise<CompactionResult> {
    const id = checkTurnId(options.id ?? this.#host.newId());
    mustBeCompactable(this.#agent);
    return askForCompaction(id, options.directives, this.#inbox, this.#runtime);
  }

  /** Replaces what was said. Fails with `invalid_input` where no provider would take it, and while a turn is unfinished. */
  async loadHistory(messages: readonly ChatMessage[]): Promise<void> {
    const body = { type: "history_loaded", messages: checkHistory(messages) } as const;
    await this.#inbox.post(this.#host.newId(), body);
  }

  /** Forgets what was said; what it has cost stays counted. Fails while a turn is unfinished. */
  async clearHistory(): Promise<void> {
    const { origin } = this.#inbox;
    if (origin !== undefined && origin.history === undefined) return;
    await this.#inbox.post(this.#host.newId(), { type: "history_cleared" });
  }

  /** Begins anew: no messages, nothing queued, status `idle`. The configuration stays. Fails while a turn is unfinished. */
  async reset(): Promise<void> {
    if (!this.#fold.acceptsInput) throw refused(this.id, "turn_unfinished");
    await this.clearQueue();
    await this.clearHistory();
  }

  /**
   * All of an output, by the id of its call: also what the model is no longer shown, or was never shown because it was too long. Fails with
   * `invalid_input` where there is none.
   */
  async readOutput(reference: string): Promise<ToolContent> {
    const message = this.#runtime.outputs.find(reference);
    const content = message && (await this.#runtime.outputs.read(message));
    if (content === undefined) throw invalid(noOutput(this.id, reference, message !== undefined));
    return content;
  }

  getUsage(): SessionUsage {
    return usageOf(this.#fold);
  }

  /** The session as plain JSON, to be kept anywhere and given to `host.restore`. */
  async snapshot(): Promise<SessionSnapshot> {
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      const snapshot = toSnapshot(this.id, await this.#runtime.log.readAll(), this.#agent);
      return { ...snapshot, ...(await blobsOf(this.#host, snapshot)) };
    });
  }

  /** The log and what follows from it, all at one moment: a subscription after `cursor` goes on from there without a gap. */
  async read(): Promise<SessionReading> {
    const { log } = this.#runtime;
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      return log.readWhole((entries) => {
        const { type: _, ...live } = log.feed.liveSnapshot();
        return { entries, cursor: log.feed.cursor, state: this.state, live };
      });
    });
  }

  /** The same with a part of the log: what came after an entry, as far as it is not too much. Only that part is read from the store. */
  async readPage(part: PartOfLog): Promise<SessionReadingPage> {
    const { log } = this.#runtime;
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      return log.readPart(part, (entries) => {
        const { type: _, ...live } = log.feed.liveSnapshot();
        const { cursor, fold } = log.feed;
        const lastSeq = entries.at(-1)?.seq ?? Math.min(part.after, fold.seq);
        const messages = fold.transcript.between(part.after, lastSeq);
        const hasMore = lastSeq < fold.seq;
        return { entries, messages, lastSeq, hasMore, cursor, state: this.state, live };
      });
    });
  }

  /** Reads what other processes have written. Fails with `not_found` if the session is gone. */
  async refresh(): Promise<void> {
    if (this.#inbox.origin !== undefined) return;
    await this.#reading(async () => this.#runtime.log.catchUp());
  }

  /**
   * A new session with the same past: up to the step of this message, or to the end of what is complete. What is queued or under way stays
   * here. Fails with `invalid_input` where there is no such message.
   */
  async fork(at?: string): Promise<Session<Output>> {
    if (this.#inbox.origin !== undefined)
      throw invalid(`Session ${this.id} has nothing to be forked yet: send something first`);
    const entries = await this.#reading(() => this.#runtime.log.readAll());
    const id = await storeFork(this.#host, this.id, entries, at);
    return new Session(await this.#host.open(id), this.#host);
  }

  /** Calls the listener with every event from now on, or from a place on. Returns how to stop. */
  subscribe(listener: EventListener, { after, onEnd, ready }: SubscribeFrom = {}): () => void {
    if (after !== undefined && this.#inbox.origin === undefined) {
      return subscribeAfter(after, { listener, onEnd, ready }, this.#runtime, this.#host.clock);
    }
    const stop = this.#runtime.readers.add(listener, onEnd);
    this.#runtime.follow();
    return stop;
  }

  /** Resolves when nothing runs and nothing will by itself: calls may still wait for answers. */
  async waitForIdle(): Promise<void> {
    await this.#turns.sending;
    await this.#runtime.waitForIdle();
  }

  /** Lets go of the session in this process: what is under way is left to other hosts, and what its tools kept is disposed. */
  async close(): Promise<void> {
    await this.#turns.sending;
    await this.#host.leave(this.#runtime);
  }

  /** This process drops the handle. Work under way continues to its end, and then the session takes no memory. */
  async detach(): Promise<void> {
    await this.#turns.sending;
    await this.#runtime.detach();
  }

  /** A store that fails is a `SessionError` to callers. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      throw toSessionError(this.id, thrown);
    }
  }

  get #agent(): Agent {
    return this.#host.agent(this.#fold.created?.agent ?? "");
  }

  get #fold(): SessionFold {
    return this.#inbox.fold;
  }

  /** The agent of this session makes the output of its turns. */
  #typed(turn: SessionTurn): Turn<Output> {
    return turn as Turn<Output>;
  }
}

function noOutput(sessionId: string, reference: string, isKnown: boolean): string {
  return isKnown
    ? `The store has lost the output "${reference}" of session ${sessionId}: what is left of it is in its message`
    : `Session ${sessionId} has no output "${reference}": take the toolCallId of one of its tool messages`;
}

/** One conversation. Its durable state is in its log; this class is the way to use it. */
import type { ChatMessage, JsonValue, ToolContent, Usage } from "@capstan/kernel";
import type {
  Approval,
  CallClaim,
  CallToDecide,
  Cursor,
  ParentCall,
  QueuedItem,
  SessionConfig,
  SessionFold,
  SessionStatus,
  TreeListener,
} from "@capstan/log";
import { ShownCalls } from "@capstan/log";
import type { AgentTypes } from "../agent/agent-types.ts";
import { replyOf } from "../agent/reply.ts";
import { whyNoAnswer } from "../agent/why-no-answer.ts";
import type { HistoryMessage } from "../input/check-history.ts";
import { traceOf } from "../platform/trace-of.ts";
import { toHistory } from "../input/check-history.ts";
import type { SendInput, SendOptions, TurnInput, TurnRequest } from "../input/input.ts";
import { checkTurnId, isAnswers, isRequest, toAnswers, toMessages } from "../input/input.ts";
import type { Receipt } from "../following/receipts.ts";
import type { Turn } from "../following/turn.ts";
import { storeFork } from "./copies.ts";
import { invalid, noAnswer, notShown, refused, toSessionError } from "../errors/session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import { abandonTurn } from "./abandon-turn.ts";
import type { RewindOptions } from "./rewind.ts";
import { toRewind } from "./rewind.ts";
import type { CompactionResult, CompactOptions } from "./compaction-request.ts";
import { askForCompaction, mustBeCompactable } from "./compaction-request.ts";
import type { SessionChild } from "./session-children.ts";
import { toSessionChild } from "./session-children.ts";
import { SessionInbox } from "./session-inbox.ts";
import { SessionReader } from "./session-reader.ts";
import type { QueuedInput, QueueOptions } from "./session-queues.ts";
import { enqueue, takeBack } from "./session-queues.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { PartOfLog } from "../following/log-pages.ts";
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
import { usageOf } from "./session-state.ts";
import type { SubscribeFrom } from "../following/subscribe-after.ts";
import { subscribeAfter } from "../following/subscribe-after.ts";
import { singleListener, toStart } from "../following/subscribe-start.ts";
import { TreeSubscription } from "../following/tree-subscription.ts";
import { TurnHandles } from "../following/turn-handles.ts";

/**
 * A conversation that is stored as it happens. Made by `createSession`, `openSession` or a host; any number of
 * handles, in any number of processes, may use one session.
 */
export class Session<out Known extends AgentTypes = AgentTypes> {
  readonly id: string;
  readonly #host: SessionHost;
  readonly #runtime: SessionRuntime;
  readonly #inbox: SessionInbox;
  readonly #reader: SessionReader;
  readonly #turns: TurnHandles;
  readonly #shown: ShownCalls;

  /** A session with an origin does not exist yet; the first send creates it. */
  constructor(runtime: SessionRuntime, host: SessionHost, origin?: SessionOrigin) {
    this.id = runtime.id;
    this.#host = host;
    this.#runtime = runtime;
    this.#inbox = new SessionInbox(runtime, host, origin);
    this.#shown = new ShownCalls(runtime.id, notShown);
    this.#reader = new SessionReader(runtime, host, this.#inbox, this.#shown);
    this.#turns = new TurnHandles(runtime, host, this.#inbox);
  }

  get status(): SessionStatus {
    return this.#fold.status;
  }

  /**
   * A list that never changes: the same one until a message is added or removed. All messages, unless the host has `reads: "context"`: see
   * `readMessages`.
   */
  get messages(): readonly ChatMessage[] {
    return this.#fold.transcript.list;
  }

  get pendingToolCalls(): readonly Known["pendingCall"][] {
    return this.#shown.note(this.#fold.pending);
  }

  /** Claims on pending calls, including those that have expired. */
  get claims(): readonly CallClaim[] {
    return this.#fold.claims;
  }

  get usage(): Usage {
    return this.#fold.usage.total;
  }

  /** Sum of the recorded costs; undefined if none was recorded. */
  get totalCost(): number | undefined {
    return this.getUsage().cost;
  }

  get title(): string | undefined {
    return this.#fold.title;
  }

  /** Name of the session's agent. */
  get agent(): Known["name"] {
    return this.#fold.agent;
  }

  /** Cursor of the last event. */
  get cursor(): Cursor {
    return this.#runtime.log.feed.cursor;
  }

  /** Seq of the last entry known here; 0 before the session is stored. */
  get lastSeq(): number {
    return this.#runtime.log.fold.seq;
  }

  /** Distinguishes this session from earlier and later ones with the same id. Undefined before it is stored. */
  get incarnation(): string | undefined {
    return this.#runtime.log.incarnation;
  }

  /**
   * True if the session was found deleted, or its id belongs to another session by now. This handle is useless then; open the id again to
   * get the current session.
   */
  get isGone(): boolean {
    return this.#runtime.isGone;
  }

  /** Owner of the session, if one was given. */
  get principal(): string | undefined {
    return this.#fold.created?.principal;
  }

  /** Session that this one works for, if it is a child session. */
  get parent(): ParentCall | undefined {
    return this.#fold.created?.parent;
  }

  /** Calls that child sessions have worked on, in the order of their starts. */
  get children(): readonly SessionChild[] {
    return this.#fold.children.all.map(toSessionChild);
  }

  /** Metadata of the session: as configured last, otherwise as created. */
  get metadata(): JsonValue | undefined {
    return this.#fold.metadata;
  }

  /** Settings that override those of the agent. */
  get config(): SessionConfig {
    return this.#fold.config;
  }

  /** Queued messages that have not reached the model, in order of arrival. */
  get queued(): readonly QueuedItem[] {
    return this.#fold.queues.items;
  }

  /** The whole state at this moment: one object per change, as user interfaces need it. */
  get state(): SessionState {
    return this.#reader.state;
  }

  /** The turn in progress, including one that this process found unfinished. */
  get current(): Turn<Known> | undefined {
    const turn = this.#turns.current();
    return turn && this.#typed(turn);
  }

  /**
   * Starts a turn with a message, or continues one with answers to pending calls. Refusals and store failures are reported in
   * `response.error`. If some calls are still unanswered, the turn stays suspended. If this process has resumed a turn that another one left
   * unfinished, the message is sent once the session is at rest.
   */
  send(
    input: SendInput<Known["app"], Known["toolName"]>,
    options: SendOptions<Known["app"], Known["toolName"]> = {},
  ): Turn<Known> {
    if (isAnswers(input)) {
      return this.#typed(this.#turns.sendAnswers(() => toAnswers(input), options));
    }
    if (isRequest(input)) return this.send(input.input, { ...input, ...options });
    const toInput = (id: string): readonly ChatMessage[] => toMessages(input, id, options.metadata);
    return this.#typed(this.#turns.sendInput(toInput, options));
  }

  /** Lets a call that waits for an approval run, with exactly the input that was shown. A bare id is `not_shown` if this handle has not shown the call. */
  approve(call: CallToDecide): Turn<Known> {
    return this.#decide(() => this.#shown.toApproval(call, true));
  }

  /** Refuses a call that waits for an approval; the model gets the reason. The call is named as in `approve`. */
  deny(call: CallToDecide, reason?: string): Turn<Known> {
    return this.#decide(() => this.#shown.toApproval(call, false, reason));
  }

  /** Synonym of `send`. */
  turn(request: TurnRequest<Known["app"], Known["toolName"]>): Turn<Known> {
    return this.send(request);
  }

  /** Resolves once everything sent here is in the log, or was refused. */
  async flush(): Promise<void> {
    await this.#turns.sent();
  }

  /** Stores the session before its first send. Does nothing if it is stored. Fails with `exists`. */
  async create(): Promise<void> {
    try {
      await this.#inbox.ensureCreated();
    } catch (thrown) {
      throw toSessionError(this.id, thrown);
    }
  }

  /** Id of the turn that took this input: its own, unless the input settled pending calls and belongs to the turn that continued. */
  turnIdOf(inputId: string): string {
    return this.#fold.turnIdOf(inputId);
  }

  /**
   * Follows the turn of the input with this id, by default the last input, or, if others continue that turn, the last of these: by now over, in
   * progress or about to start. Any process may ask. Resolves with undefined if the log has no such input.
   */
  async follow(inputId?: string): Promise<Turn<Known> | undefined> {
    await this.#turns.sent();
    const turn = await this.#turns.follow(inputId);
    return turn && this.#typed(turn);
  }

  /** Synonym of `send`. */
  runStream(input: TurnInput, options?: SendOptions<Known["app"], Known["toolName"]>): Turn<Known> {
    return this.send(input, options);
  }

  /** Returns the reply to one message: the typed answer, or its text if there is no schema. Throws a `SessionError` if there is none. */
  async run(
    input: TurnInput,
    options?: SendOptions<Known["app"], Known["toolName"]>,
  ): Promise<Known["reply"]> {
    const response = await this.send(input, options).response;
    const reply = replyOf(response, this.#reader.agent);
    if (reply === undefined) throw noAnswer(this.id, whyNoAnswer(response), response.error);
    return reply.value;
  }

  /**
   * Starts a turn without new input: for a message that has no reply yet, as after a failure, or for held queue items. `response.error` is
   * `cannot_continue` if nothing awaits a reply.
   */
  continue(options: SendOptions<Known["app"], Known["toolName"]> = {}): Turn<Known> {
    return this.#typed(this.#turns.sendInput(undefined, options));
  }

  /**
   * Shows the message to the model at the next boundary of the turn in progress; if the session is idle, starts a turn. Resolves once it is
   * durable.
   */
  async steer(content: QueuedInput, options: QueueOptions<Known["app"]> = {}): Promise<Receipt> {
    return this.#enqueue("steer", content, options);
  }

  /** Queues the message for its own turn after the one in progress. Resolves once it is durable. */
  async followUp(content: QueuedInput, options: QueueOptions<Known["app"]> = {}): Promise<Receipt> {
    return this.#enqueue("follow_up", content, options);
  }

  /**
   * Takes back queued messages that have not reached the model. Resolves with the ids of the returned ones once all outcomes are known; a
   * turn in progress ends first.
   */
  async clearQueue(queue: "steering" | "followUp" | "all" = "all"): Promise<readonly string[]> {
    if (this.#inbox.origin !== undefined) return [];
    return takeBack(queue, this.#host.newId(), this.#inbox, this.#runtime);
  }

  /**
   * Changes the session's settings, in every process. Queue modes apply from the next boundary on, the rest from the next turn on. Fails
   * with `invalid_input`.
   */
  async configure(settings: SessionSettings<Known["toolName"]>): Promise<void> {
    const config = toConfig(settings, this.#reader.agent);
    this.#runtime.remember(settings);
    await this.#inbox.post(this.#host.newId(), { type: "config", config });
  }

  /**
   * Stops the running or suspended turn, in whichever process it runs; without a turn, a requested compaction. Resolves once that is
   * recorded; does nothing if there is neither.
   */
  async abort(reason?: string): Promise<void> {
    await this.#turns.sending;
    await this.refresh();
    await this.#turns.abortUnfinished(reason);
  }

  /**
   * Drops the unfinished turn, whether it runs, is stuck, set aside or waits for answers: its tools get the abort signal, and nothing more of it
   * runs. It ends with the error `abandoned`, and every open call gets a result. Resolves once it has ended, with false if there was none.
   */
  async abandon(reason?: string): Promise<boolean> {
    await this.#turns.sending;
    await this.refresh();
    return abandonTurn(this.#inbox, this.#runtime, this.#host, reason);
  }

  /** Aborts the turn with this id and the turns that continue it. Resolves with false if there is no such turn, or it has ended. */
  async abortTurn(turnId: string, reason?: string): Promise<boolean> {
    await this.#turns.sending;
    return this.#turns.abortTurn(turnId, reason);
  }

  /**
   * Announces that `claimedBy` is about to run a pending call: until the claim expires, no other client can claim it. Claiming again
   * extends the claim. Fails with `already_claimed`, and like an answer. Answers from any client count.
   */
  async claim(toolCallId: string, claimedBy: string, leaseMs: number): Promise<CallClaim> {
    return this.#inbox.claim(toolCallId, claimedBy, leaseMs);
  }

  /**
   * Replaces the conversation so far by a summary in what models are shown from now on: before the next request of the turn in progress, or
   * at once if there is none. A repeated id has no further effect. Fails with `compaction_failed`.
   */
  async compact(options: CompactOptions = {}): Promise<CompactionResult> {
    const id = checkTurnId(options.id ?? this.#host.newId());
    mustBeCompactable(this.#reader.agent);
    return askForCompaction(id, options.directives, this.#inbox, this.#runtime);
  }

  /**
   * Replaces the messages. Those without an id get one. Fails with `invalid_input` if no provider would accept them, and while a turn is
   * unfinished.
   */
  async loadHistory(messages: readonly HistoryMessage[]): Promise<void> {
    const history = toHistory(messages, this.#host.newId);
    const body = { type: "history_loaded", messages: history } as const;
    await this.#inbox.post(this.#host.newId(), body);
    // Children that work for calls of the old messages are stopped.
    this.#runtime.wake();
  }

  /** Removes the messages; their cost stays counted. Fails while a turn is unfinished. */
  async clearHistory(): Promise<void> {
    const { origin } = this.#inbox;
    if (origin !== undefined && origin.history === undefined) return;
    await this.#inbox.post(this.#host.newId(), { type: "history_cleared" });
    this.#runtime.wake();
  }

  /**
   * Makes this message the last one of the history, with the results of its calls; with `before`, removes it too. The log keeps what is cut
   * off, and usage stays counted. A suspended turn ends; queued messages wait for the next send. Fails with `turn_unfinished` while a turn
   * runs, and with `invalid_input` if the history has no such message.
   */
  async rewind(messageId: string, options: RewindOptions = {}): Promise<void> {
    const { before: isBefore = false, id = this.#host.newId() } = options;
    await this.#turns.sending;
    const body = toRewind(messageId, isBefore);
    // A session that is not stored yet is not created for a message that it does not have.
    const refusal = this.#inbox.preview?.rewindTo(body);
    if (typeof refusal === "string") throw refused(this.id, refusal);
    await this.#inbox.post(checkTurnId(id), body);
    this.#runtime.wake();
  }

  /** Starts over: no messages, nothing queued, status `idle`. The configuration stays. Fails while a turn is unfinished. */
  async reset(): Promise<void> {
    const { inputRefusal } = this.#fold;
    if (inputRefusal !== undefined) throw refused(this.id, inputRefusal);
    await this.clearQueue();
    await this.clearHistory();
  }

  /** Returns all messages, as `messages` does from then on. Reads those that were left out, if the host has `reads: "context"`. */
  async readMessages(): Promise<readonly ChatMessage[]> {
    return this.#reader.readMessages();
  }

  /**
   * Returns a complete tool output by the id of its call, even if the model no longer sees it or only saw a part. Fails with
   * `invalid_input` if there is none.
   */
  async readOutput(reference: string): Promise<ToolContent> {
    return this.#reader.readOutput(reference);
  }

  getUsage(): SessionUsage {
    return usageOf(this.#fold);
  }

  /** Returns the session as plain JSON, to be stored anywhere and passed to `host.restore`. */
  async snapshot(): Promise<SessionSnapshot> {
    return this.#reader.snapshot();
  }

  /** Reads the log and the state derived from it, at one moment: a subscription after `cursor` continues without a gap. */
  async read(): Promise<SessionReading> {
    return this.#reader.read();
  }

  /** Like `read`, for the part of the log after an entry, up to a limit. Reads only that part from the store. */
  async readPage(part: PartOfLog): Promise<SessionReadingPage> {
    return this.#reader.readPage(part);
  }

  /** Reads the entries of other processes. Fails with `not_found` if the session is gone. */
  async refresh(): Promise<void> {
    await this.#reader.refresh();
  }

  /**
   * Creates a session with the same history: up to the step of this message, or to the last complete step. Queued and unfinished work is
   * not copied. Fails with `invalid_input` if there is no such message.
   */
  async fork(at?: string): Promise<Session<Known>> {
    if (this.#inbox.origin !== undefined)
      throw invalid(`Session ${this.id} has nothing to fork yet: send a message first`);
    const entries = await this.#reader.readEntries();
    const id = await storeFork(this.#host, this.id, entries, at);
    return new Session(await this.#host.open(id), this.#host);
  }

  /**
   * Calls the listener with every event from now on, or after a cursor. With `tree`, also with those of the sessions below it: without a gap or a
   * duplicate in each session, and in no particular order between two of them. Returns a function that unsubscribes.
   */
  subscribe(listener: TreeListener, from: SubscribeFrom = {}): () => void {
    const { tree: isTree = false, after } = from;
    const start = after === undefined ? undefined : toStart(from);
    // A session that is not stored has no events before now.
    const at = this.#inbox.origin === undefined ? start : undefined;
    if (isTree) {
      const tree = new TreeSubscription(listener, from, this.#runtime, this.#host);
      return tree.follow(at, this.#shown);
    }
    const single = singleListener(listener);
    if (at !== undefined) {
      const options = { ...from, after: at.cursor, shown: this.#shown };
      return subscribeAfter(single, options, this.#runtime, this.#host.clock);
    }
    const stop = this.#runtime.readers.add(single, this.#shown, from.onEnd);
    this.#runtime.wakeups.follow();
    return stop;
  }

  /**
   * Resolves when nothing runs here and nothing will start by itself; calls may still be pending. Children that work in the background are not
   * waited for.
   */
  async waitForIdle(): Promise<void> {
    await this.#turns.sent();
    await this.#runtime.waitForIdle();
  }

  /** Resolves when this session is idle and no child works for it in the background: each has ended, or waits for an answer. */
  async waitForChildren(): Promise<void> {
    await this.#turns.sent();
    await this.#runtime.waitForChildren();
  }

  /** Releases the session in this process: work in progress is left to other hosts, and the dependencies of its tools are disposed. */
  async close(): Promise<void> {
    await this.#turns.sending;
    await this.#host.leave(this.#runtime);
  }

  /** Drops the handle in this process. Work in progress continues to its end; after that the session takes no memory. */
  async detach(): Promise<void> {
    await this.#turns.sent();
    await this.#runtime.detach();
  }

  #enqueue(
    type: "steer" | "follow_up",
    content: QueuedInput,
    { id = this.#host.newId(), app }: QueueOptions<Known["app"]>,
  ): Promise<Receipt> {
    const { agent } = this.#reader;
    const stored = app === undefined ? undefined : agent.toStoredApp(app);
    const origin = { app: stored, trace: traceOf(agent) };
    return enqueue(type, id, content, origin, this.#inbox, this.#runtime);
  }

  get #fold(): SessionFold {
    return this.#inbox.fold;
  }

  #decide(toApproval: () => Approval): Turn<Known> {
    return this.#typed(this.#turns.sendAnswers(() => [toApproval()], {}));
  }

  /** Safe, because the turns are those of the session's agent. */
  #typed(turn: SessionTurn): Turn<Known> {
    turn.addViewer(this.#shown);
    return turn;
  }
}

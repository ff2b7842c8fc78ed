/** State that follows from a log, entry by entry: identical live, on reload and in a client. */
import type { ChatMessage, JsonValue, OpenCall, PendingCall } from "@capstan/kernel";
import type { CallClaim, Refusal, RunningCall } from "./call-states.ts";
import { ChildFold } from "./child-fold.ts";
import { CompactionFold } from "./compaction-fold.ts";
import { ContextFold } from "./context-fold.ts";
import { countUsage, countUsageOfChild, countUsageOfTool } from "./count-usage.ts";
import type { Entry, EntryOf, SessionConfig } from "../entries/entries.ts";
import { FamilyFold } from "./family-fold.ts";
import type { NextAction, TurnEnd } from "./next-action.ts";
import { actionAtRest, isHalted } from "./next-action.ts";
import { OutputFold } from "./output-fold.ts";
import { PostedFold } from "./posted-fold.ts";
import { PrefixFold } from "./prefix-fold.ts";
import { QueueFold } from "./queue-fold.ts";
import type { SessionHead, SessionStatus } from "../repository/repository.ts";
import { headOf, statusAfter } from "./session-head.ts";
import type { RewindPoint } from "./rewind.ts";
import { lengthAfterRewind } from "./rewind.ts";
import { ShownFold } from "./shown-fold.ts";
import { TaskFold } from "./task-fold.ts";
import { titleOf } from "./title.ts";
import { TranscriptFold } from "./transcript-fold.ts";
import type { TurnOrigin } from "./turn-fold.ts";
import { TurnFold } from "./turn-fold.ts";
import { UsageFold } from "./usage-fold.ts";

/** State of a session, folded from its entries in order. */
export class SessionFold {
  readonly transcript: TranscriptFold = new TranscriptFold();
  readonly queues: QueueFold = new QueueFold();
  readonly usage: UsageFold = new UsageFold();
  readonly context: ContextFold = new ContextFold();
  readonly compactions: CompactionFold = new CompactionFold();
  readonly outputs: OutputFold = new OutputFold();
  readonly children: ChildFold = new ChildFold();
  readonly tasks: TaskFold = new TaskFold();
  readonly prefix: PrefixFold = new PrefixFold(this.transcript, this.context);
  readonly #family: FamilyFold = new FamilyFold(this);
  readonly #shown: ShownFold = new ShownFold(this);
  readonly #posted: PostedFold = new PostedFold(this.transcript, this.queues, this.compactions);
  #seq = 0;
  #lastPostedSeq = 0;
  #lastEffectSeq = 0;
  #created: EntryOf<"created"> | undefined;
  #handoff: EntryOf<"handed_off"> | undefined;
  #prompt: EntryOf<"prompt"> | undefined;
  #title: string | undefined;
  #turn: TurnFold | undefined;

  /** Seq of the last entry that was applied, including unknown ones. */
  get seq(): number {
    return this.#seq;
  }

  /** Seq of the last entry that was posted, or may have been: for types that only a newer program knows, this is unknown. */
  get lastPostedSeq(): number {
    return this.#lastPostedSeq;
  }

  /** Seq of the last entry that had an effect: a post that was refused has none. */
  get lastEffectSeq(): number {
    return this.#lastEffectSeq;
  }

  get created(): EntryOf<"created"> | undefined {
    return this.#created;
  }

  /** Name of the agent that has the conversation: the one it was created with, or the one it was handed to last. */
  get agent(): string {
    return this.#handoff?.agent ?? this.#created?.agent ?? "";
  }

  /** The last handoff; undefined if there was none. */
  get handoff(): EntryOf<"handed_off"> | undefined {
    return this.#handoff;
  }

  get config(): SessionConfig {
    return this.#posted.config;
  }

  /** Metadata of the session: as configured last, otherwise as created. */
  get metadata(): JsonValue | undefined {
    const { metadata } = this.#posted.config;
    return metadata === undefined ? this.#created?.metadata : metadata;
  }

  /** Instructions and tools of requests, as recorded last. */
  get prompt(): EntryOf<"prompt"> | undefined {
    return this.#prompt;
  }

  /** The turn that was started last. */
  get turn(): TurnFold | undefined {
    return this.#turn;
  }

  /** Input that was accepted, and whose turn has not started. */
  get acceptedInput(): EntryOf<"input"> | undefined {
    return this.#posted.input;
  }

  get title(): string | undefined {
    const { config, input } = this.#posted;
    const given = config.title ?? this.#created?.title ?? this.#title;
    // The accepted input is the first message.
    return given ?? (input && titleOf(input.messages));
  }

  get status(): SessionStatus {
    if (this.#posted.input !== undefined) return "running";
    if (this.#turn === undefined) return "idle";
    return this.#turn.end === undefined ? "running" : statusAfter(this.#turn.end);
  }

  /** Whether a new input would start a turn. */
  get acceptsInput(): boolean {
    const { status } = this;
    return status !== "running" && status !== "awaiting_tool_execution";
  }

  /** Calls that wait for an answer, here or in a child in the background. */
  get pending(): readonly PendingCall[] {
    return this.children.withPending(this.transcript.step?.unanswered() ?? []);
  }

  /** Calls of the running turn that run in its process, or are about to. */
  get running(): readonly RunningCall[] {
    if (this.#turn === undefined || this.#turn.isOver) return [];
    return this.transcript.step?.running() ?? [];
  }

  /** Claims of these calls. */
  get claims(): readonly CallClaim[] {
    return this.transcript.step?.claims() ?? [];
  }

  /** Reason why a posted entry has no effect; undefined if it has one, or does not exist. */
  refusalOf(entryId: string): Refusal | undefined {
    return this.#posted.refusalOf(entryId);
  }

  /** Reason why a turn that runs, or is about to start, was cancelled; empty if none was given, undefined if it was not cancelled. */
  cancelReasonOf(turnId: string): string | undefined {
    if (turnId === this.#posted.input?.id) return this.#posted.cancelReason;
    if (this.compactions.waiting.length > 0 && this.compactions.isWaiting(turnId)) {
      return this.compactions.cancelReasonOf(turnId);
    }
    const reason = this.#turn?.cancelReason;
    // Called after every append: almost always there is none.
    if (reason === undefined) return undefined;
    return this.#turn?.isInChain(turnId) === true ? reason : undefined;
  }

  /** Values that a turn of these posted entries starts with. */
  originOf(entryIds: readonly string[]): TurnOrigin {
    return this.#posted.originOf(entryIds);
  }

  /** Reason why a turn that runs, or is about to start, was abandoned, likewise. */
  abandonReasonOf(turnId: string): string | undefined {
    if (turnId === this.#posted.input?.id) return this.#posted.abandonReason;
    const reason = this.#turn?.abandonReason;
    if (reason === undefined) return undefined;
    return this.#turn?.isInChain(turnId) === true ? reason : undefined;
  }

  /** Id of the turn that runs, is suspended, or is about to start; undefined if there is none. */
  get unfinishedTurnId(): string | undefined {
    const turn = this.#turn;
    const isUnfinished = turn !== undefined && (!turn.isOver || turn.isSuspended);
    return isUnfinished ? turn.turnId : this.#posted.input?.id;
  }

  /** Id of the turn that an input started, or that delivers its messages because it settled pending calls. */
  turnIdOf(inputId: string): string {
    return this.#posted.turnIdOf(inputId);
  }

  /** Reason why the session refuses an input now; undefined if it accepts one. */
  get inputRefusal(): Refusal | undefined {
    return this.acceptsInput ? undefined : this.#posted.whyUnfinished(this);
  }

  /** Messages of posted entries, in order. */
  messagesOf(entryIds: readonly string[]): readonly ChatMessage[] {
    return this.#posted.messagesOf(entryIds);
  }

  /** Returns what the owner of the session must do next, at this time. */
  nextAction(now: number): NextAction {
    const turn = this.#turn;
    if (turn !== undefined && !turn.isOver) return { type: "resume", turnId: turn.turnId };
    const { input } = this.#posted;
    if (input !== undefined) {
      return { type: "start", turnId: input.id, input: this.#posted.startOf(input) };
    }
    return actionAtRest(this, turn?.end, now);
  }

  /** True if the session does nothing by itself, at this time. */
  isAtRest(now: number): boolean {
    if (this.#posted.input !== undefined || this.#turn?.isOver === false) return false;
    return this.nextAction(now).type === "none";
  }

  /** The head to store. */
  head(now: number): SessionHead {
    return headOf(this, this.status, this.#turn?.end, now);
  }

  /** The head to store together with the start of a turn. */
  headAtStart(now: number): SessionHead {
    return headOf(this, "running", undefined, now);
  }

  /** The head to store together with this `turn_ended`. */
  headAtEnd(end: TurnEnd, now: number): SessionHead {
    return headOf(this, statusAfter(end), end, now, this.#created?.parent !== undefined);
  }

  /** Skips an entry of a type that only a newer program knows. */
  skip(seq: number): void {
    this.#seq = seq;
    this.#lastPostedSeq = seq;
    this.#lastEffectSeq = seq;
  }

  apply(entry: Entry): void {
    this.#apply(entry);
    // An owner's entries are never refused.
    const isRefused = this.#lastPostedSeq === entry.seq && this.refusalOf(entry.id) !== undefined;
    if (!isRefused) this.#lastEffectSeq = entry.seq;
    this.transcript.mark(entry.seq);
  }

  #apply(entry: Entry): void {
    this.#seq = entry.seq;
    switch (entry.type) {
      case "created":
        this.#created = entry;
        return this.#posted.configure(entry.config ?? {});
      case "turn_started":
        return this.#startTurn(entry);
      case "prompt":
        this.#prompt = entry;
        this.prefix.reframe(entry);
        this.context.forgetReport();
        return;
      case "turn_resumed":
        this.#turn?.resume(entry);
        this.#giveUpOverdue(entry.at);
        return this.#resumeTurn();
      case "turn_ended":
        return this.#endTurn(entry);
      case "attempt":
        this.transcript.closeStep();
        this.prefix.request();
        this.#turn?.startAttempt(entry);
        return;
      case "attempt_ended":
        return this.#endAttempt(entry);
      case "message":
        return this.#addMessage(entry);
      case "step_prepared":
        if (entry.messages !== undefined) this.transcript.add(entry.messages);
        this.#turn?.prepare(entry);
        return;
      case "input_rejected":
        return this.#shown.withhold(entry);
      case "pending":
        this.transcript.step?.wait(entry.pending);
        return;
      case "suspended":
        return this.#suspend(entry);
      case "tool_intent":
        this.transcript.step?.start(entry);
        return;
      case "nested_intent":
        return this.transcript.step?.startNested(entry);
      case "tool_result":
      case "nested_result":
        return this.#addResult(entry);
      case "handed_off":
        this.#handoff = entry;
        return this.#shown.handOff(entry);
      case "child_started":
      case "child_granted":
      case "child_waiting":
      case "child_ended":
        return this.#family.apply(entry, this.#turn);
      case "budget_granted":
        this.#lastPostedSeq = entry.seq;
        return this.tasks.grant(entry);
      case "child_reported":
        this.#lastPostedSeq = entry.seq;
        return countUsageOfChild(this, this.#family.takeReport(entry));
      case "cancel_requested":
        this.#lastPostedSeq = entry.seq;
        return this.#posted.apply(this.#family.cancel(entry, this.#turn), this);
      case "queue_settled":
        return this.#settleQueue(entry);
      case "forked_from":
        this.children.forget();
        this.compactions.interrupt();
        this.usage.reset();
        this.prefix.forget();
        return;
      case "compaction_started":
        this.#interruptCompaction();
        this.compactions.start();
        return;
      case "compaction":
        return this.#compact(entry);
      case "compaction_failed":
        if (entry.usage !== undefined) countUsage(this, entry);
        else this.#interruptCompaction();
        this.compactions.fail(entry, this.transcript.length);
        return;
      case "quarantine":
        return this.#shown.quarantine(entry);
      case "eviction":
        return this.#shown.evict(entry);
      case "history_cleared":
        return this.#replaceHistory(entry, []);
      case "history_loaded":
        return this.#replaceHistory(entry, entry.messages);
      case "history_rewound":
        return this.#rewind(entry);
      default:
        this.#lastPostedSeq = entry.seq;
        this.#posted.apply(entry, this);
    }
  }

  #startTurn(entry: EntryOf<"turn_started">): void {
    this.prefix.startTurn();
    const messages = this.messagesOf(entry.input);
    const input = this.#posted.inputOf(entry);
    this.#turn = new TurnFold(entry, {
      before: this.#turn,
      config: this.#posted.config,
      origin: this.originOf(entry.input),
    });
    if (input !== undefined) {
      const { cancelReason, abandonReason } = this.#posted;
      if (cancelReason !== undefined) this.#turn.cancel(cancelReason);
      if (abandonReason !== undefined) this.#turn.abandon(abandonReason);
      this.#posted.clearInput();
      this.queues.unhold();
    }
    if (entry.continues !== undefined) this.#giveUpOverdue(entry.at);
    this.queues.settle(entry.input, { type: "delivered", turnId: entry.turnId });
    this.tasks.start(entry, this.#turn.origin);
    if (messages.length > 0) this.transcript.add(messages);
    this.#title ??= titleOf(messages);
  }

  /** When a turn continues, calls that were not answered in time get an answer, unless the turn only continues to end. */
  #giveUpOverdue(at: number): void {
    if (this.#turn?.isStopped !== true) this.transcript.step?.giveUp(at);
  }

  #resumeTurn(): void {
    this.#interruptCompaction();
    const underWay = this.#turn?.underWay;
    if (underWay === undefined || underWay.state === "over") return;
    // The usage of an open attempt is unknown.
    if (underWay.state === "open") countUsage(this, {});
    this.#turn?.voidAttempt();
  }

  #endTurn(entry: EntryOf<"turn_ended">): void {
    this.#turn?.finish(entry);
    if (entry.pending === undefined) this.transcript.closeStep();
    if (isHalted(entry)) this.queues.hold();
  }

  #endAttempt(entry: EntryOf<"attempt_ended">): void {
    const { step } = this.transcript;
    const isReply = step?.step === entry.step;
    this.#turn?.endAttempt(entry, isReply);
    countUsage(this, entry);
    if (entry.outcome === "completed") {
      this.context.report(entry, this.transcript.length);
      this.compactions.measure(entry.usage?.inputTokens);
    }
    if (entry.outcome === "discarded" || entry.outcome === "rejected") return;
    if (isReply ? step.isEmpty : entry.outcome !== "completed") this.#turn?.endStep();
  }

  #addMessage({ message, step }: EntryOf<"message">): void {
    this.#turn?.advance();
    if (message.role === "assistant") {
      this.transcript.addReply(message, step);
      this.#turn?.addReply(step);
    } else {
      this.transcript.add([message]);
      this.#turn?.passStep(step);
    }
  }

  #addResult(entry: EntryOf<"tool_result" | "nested_result">): void {
    this.#turn?.advance();
    const before = this.transcript.length;
    this.transcript.addResult(entry);
    if (this.transcript.length > before) this.outputs.add(this.transcript.from(before), before);
    countUsageOfTool(this, entry);
    countUsageOfChild(this, this.#family.settleCall(entry));
    if (this.transcript.step?.isSettled === true) this.#turn?.endStep();
  }

  #suspend(entry: EntryOf<"suspended">): void {
    this.#turn?.advance();
    this.transcript.step?.suspend(entry);
    countUsageOfTool(this, entry);
    this.#family.suspend(entry);
  }

  #replaceHistory(entry: Entry, messages: readonly ChatMessage[]): void {
    this.#lastPostedSeq = entry.seq;
    const { inputRefusal } = this;
    if (inputRefusal !== undefined) return this.#posted.refuse(entry, inputRefusal);
    this.#turn = undefined;
    // A new conversation has no recorded prompt yet.
    this.#prompt = undefined;
    this.#shown.replace(messages);
    this.#family.cut();
    this.compactions.reset();
  }

  /** Number of messages that this entry leaves, or why it is refused; given the state before it. */
  rewindTo(entry: RewindPoint): number | Refusal {
    if (this.status === "running") return "turn_unfinished";
    return lengthAfterRewind(this.transcript, entry) ?? "unknown_message";
  }

  #rewind(entry: EntryOf<"history_rewound">): void {
    this.#lastPostedSeq = entry.seq;
    const length = this.rewindTo(entry);
    if (typeof length === "string") return this.#posted.refuse(entry, length);
    this.#turn = undefined;
    this.#shown.rewind(length);
    // A suspended turn has ended, and calls that started children in the background may be cut away.
    this.#family.cut();
    this.compactions.reset();
    // Like after an abort: the user says what comes next.
    this.queues.hold();
    if (length === 0) this.#title = undefined;
  }

  #settleQueue({ ids, outcome, turnId }: EntryOf<"queue_settled">): void {
    const isDelivered = outcome.type === "delivered";
    if (isDelivered) {
      this.transcript.add(this.messagesOf(ids));
      this.#turn?.advance();
    }
    this.queues.settle(ids, isDelivered ? { type: "delivered", turnId } : outcome);
  }

  /** The usage of the lost compaction is unknown. */
  #interruptCompaction(): void {
    if (this.compactions.interrupt()) countUsage(this, {});
  }

  #compact(entry: EntryOf<"compaction">): void {
    const { usage = {} } = entry;
    countUsage(this, { ...entry, usage });
    this.#turn?.advance();
    const end = this.transcript.indexAfter(entry.through);
    this.compactions.succeed(entry, this.transcript.length);
    // A summary of messages that no longer exist is ignored.
    if (end > 0) this.#shown.summarize(entry);
  }

  /** Answers to pending calls, as the kernel takes them. */
  answers(): readonly OpenCall[] {
    return this.transcript.step?.answers() ?? [];
  }
}

/** State that follows from a log, entry by entry: identical live, on reload and in a client. */
import type { ChatMessage, JsonValue, OpenCall, PendingCall } from "@capstan/kernel";
import type { CallClaim, Refusal, RunningCall } from "./call-states.ts";
import { CheckpointFold } from "./checkpoint-fold.ts";
import { ChildFold } from "./child-fold.ts";
import { CompactionFold } from "./compaction-fold.ts";
import { ContextFold } from "./context-fold.ts";
import { countUsage, countUsageOfChild, countUsageOfTool } from "./count-usage.ts";
import type { Entry, EntryOf, SessionConfig } from "../entries/entries.ts";
import { FamilyFold } from "./family-fold.ts";
import type { NextAction, TurnEnd } from "./next-action.ts";
import { actionAtRest } from "./next-action.ts";
import { OutputFold } from "./output-fold.ts";
import { PostedFold } from "./posted-fold.ts";
import { PrefixFold } from "./prefix-fold.ts";
import type { SavedFold } from "./saved-fold.ts";
import { loadParts, savedFoldVersion, saveParts } from "./saved-fold.ts";
import { QueueFold } from "./queue-fold.ts";
import type { SessionHead, SessionStatus } from "../repository/repository.ts";
import { headOf, statusAfter } from "./session-head.ts";
import type { RewindPoint } from "./rewind.ts";
import { lengthAfterRewind } from "./rewind.ts";
import { ShownFold } from "./shown-fold.ts";
import {
  addMessage,
  endAttempt,
  endTurn,
  giveUpOverdue,
  interruptCompaction,
  resumeTurn,
  settleQueue,
} from "./step-entries.ts";
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
  readonly #checkpoints: CheckpointFold = new CheckpointFold();
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
    return this.#turn?.isUnfinished === true ? this.#turn.turnId : this.#posted.input?.id;
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

  /** The head to store together with the start of a turn, and with a checkpoint, if the entry with this seq is one. */
  headAtStart(now: number, checkpointSeq: number | undefined = this.checkpointSeq): SessionHead {
    const head = headOf(this, "running", undefined, now);
    return checkpointSeq === undefined ? head : { ...head, checkpoint: checkpointSeq };
  }

  /** The head to store together with this `turn_ended`. */
  headAtEnd(end: TurnEnd, now: number): SessionHead {
    return headOf(this, statusAfter(end), end, now, this.#created?.parent !== undefined);
  }

  /** Seq of the last checkpoint from which the log can be read; undefined if there is none. */
  get checkpointSeq(): number | undefined {
    return this.#checkpoints.seq;
  }

  /**
   * Number of entries that a checkpoint now would save a reader; 0 if models are shown everything that they were at the last one, or there can
   * be none.
   */
  get uncheckedEntries(): number {
    return this.#checkpoints.unchecked(this.#seq);
  }

  /**
   * @internal State for a checkpoint, without the content of messages that a summary replaces. Undefined while a turn is unfinished, and after an
   * entry that only a newer program knows.
   */
  save(): SavedFold | undefined {
    const isUnfinished = this.#turn?.isUnfinished === true || this.transcript.step !== undefined;
    if (isUnfinished || !this.#checkpoints.isPossible) return undefined;
    return {
      version: savedFoldVersion,
      seq: this.#seq,
      lastPostedSeq: this.#lastPostedSeq,
      lastEffectSeq: this.#lastEffectSeq,
      created: this.#created,
      handoff: this.#handoff,
      prompt: this.#prompt,
      title: this.#title,
      turn: this.#turn?.save(),
      ...saveParts(this, this.#posted),
    };
  }

  /** @internal Takes over the state of a checkpoint. For a fold that has applied nothing. */
  load(saved: SavedFold): void {
    this.#seq = saved.seq;
    this.#lastPostedSeq = saved.lastPostedSeq;
    this.#lastEffectSeq = saved.lastEffectSeq;
    this.#created = saved.created;
    this.#handoff = saved.handoff;
    this.#prompt = saved.prompt;
    this.#title = saved.title;
    this.#turn = saved.turn && TurnFold.load(saved.turn);
    loadParts(saved, this, this.#posted);
  }

  /** Whether entries of this type can only be applied with the content of all messages. */
  needsAll(type: string): boolean {
    return this.transcript.leftOut > 0 && type === "history_rewound";
  }

  /** Skips an entry of a type that only a newer program knows. */
  skip(seq: number): void {
    this.#checkpoints.skip();
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
        giveUpOverdue(this, entry.at);
        return resumeTurn(this);
      case "turn_ended":
        return endTurn(this, entry);
      case "attempt":
        this.transcript.closeStep();
        this.prefix.request();
        this.#turn?.startAttempt(entry);
        return;
      case "attempt_ended":
        return endAttempt(this, entry);
      case "message":
        return addMessage(this, entry);
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
        return settleQueue(this, entry);
      case "forked_from":
        this.children.forget();
        this.compactions.interrupt();
        this.usage.reset();
        this.prefix.forget();
        return;
      case "compaction_started":
        interruptCompaction(this);
        this.compactions.start();
        return;
      case "compaction":
        return this.#compact(entry);
      case "compaction_failed":
        if (entry.usage !== undefined) countUsage(this, entry);
        else interruptCompaction(this);
        this.compactions.fail(entry, this.transcript.length);
        return;
      case "checkpoint":
        return this.#checkpoints.take(entry);
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
    if (entry.continues !== undefined) giveUpOverdue(this, entry.at);
    this.queues.settle(entry.input, { type: "delivered", turnId: entry.turnId });
    this.tasks.start(entry, this.#turn.origin);
    if (messages.length > 0) this.transcript.add(messages);
    this.#title ??= titleOf(messages);
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
    this.#checkpoints.shorten(messages.length);
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

  #compact(entry: EntryOf<"compaction">): void {
    const { usage = {} } = entry;
    countUsage(this, { ...entry, usage });
    this.#turn?.advance();
    const end = this.transcript.indexAfter(entry.through);
    this.compactions.succeed(entry, this.transcript.length);
    // A summary of messages that no longer exist is ignored.
    if (end === 0) return;
    this.#shown.summarize(entry);
    this.#checkpoints.shorten(this.transcript.length - end);
  }

  /** Answers to pending calls, as the kernel takes them. */
  answers(): readonly OpenCall[] {
    return this.transcript.step?.answers() ?? [];
  }
}

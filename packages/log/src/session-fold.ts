/** Everything that follows from a log, entry by entry: the same live, on reload and in a client. */
import type { ChatMessage, OpenCall, PendingCall, Usage } from "@capstan/kernel";
import type { CallClaim, Refusal } from "./call-states.ts";
import { CompactionFold } from "./compaction-fold.ts";
import { ContextFold } from "./context-fold.ts";
import type { Draft } from "./draft.ts";
import type { Entry, EntryOf, PostedBody, SessionConfig } from "./entries.ts";
import type { NextAction, TurnEnd } from "./next-action.ts";
import { actionAtRest, isHalted } from "./next-action.ts";
import { OutputFold } from "./output-fold.ts";
import { PrefixFold } from "./prefix-fold.ts";
import { QueueFold } from "./queue-fold.ts";
import type { SessionHead, SessionStatus } from "./repository.ts";
import { titleOf } from "./title.ts";
import { TranscriptFold } from "./transcript-fold.ts";
import { TurnFold } from "./turn-fold.ts";
import { UsageFold } from "./usage-fold.ts";

export class SessionFold {
  readonly transcript: TranscriptFold = new TranscriptFold();
  readonly queues: QueueFold = new QueueFold();
  readonly usage: UsageFold = new UsageFold();
  readonly context: ContextFold = new ContextFold();
  readonly compactions: CompactionFold = new CompactionFold();
  readonly outputs: OutputFold = new OutputFold();
  readonly prefix: PrefixFold = new PrefixFold(this.transcript, this.context);
  #seq = 0;
  #lastPostedSeq = 0;
  #created: EntryOf<"created"> | undefined;
  #config: SessionConfig = {};
  #prompt: EntryOf<"prompt"> | undefined;
  #title: string | undefined;
  #turn: TurnFold | undefined;
  /** Accepted, and its turn has not started. */
  #input: EntryOf<"input"> | undefined;
  #cancelledInput: { readonly reason: string } | undefined;
  #refusals: Map<string, Refusal> | undefined;

  /** The last entry that was applied, the unknown ones included. */
  get seq(): number {
    return this.#seq;
  }

  /** Of the last entry that was posted, or may have been: who posts what only a newer program knows cannot be told. */
  get lastPostedSeq(): number {
    return this.#lastPostedSeq;
  }

  get created(): EntryOf<"created"> | undefined {
    return this.#created;
  }

  get config(): SessionConfig {
    return this.#config;
  }

  /** What requests begin with, as it was recorded last. */
  get prompt(): EntryOf<"prompt"> | undefined {
    return this.#prompt;
  }

  /** The turn that was started last. */
  get turn(): TurnFold | undefined {
    return this.#turn;
  }

  /** An input that was accepted and whose turn has not started. */
  get acceptedInput(): EntryOf<"input"> | undefined {
    return this.#input;
  }

  get title(): string | undefined {
    const given = this.#config.title ?? this.#created?.title ?? this.#title;
    // What was just sent is the first that was said.
    return given ?? (this.#input && titleOf(this.#input.messages));
  }

  get status(): SessionStatus {
    if (this.#input !== undefined) return "running";
    if (this.#turn === undefined) return "idle";
    return this.#turn.end === undefined ? "running" : statusAfter(this.#turn.end);
  }

  /** Whether an input that came next would start a turn. */
  get acceptsInput(): boolean {
    const { status } = this;
    return status !== "running" && status !== "awaiting_tool_execution";
  }

  /** Calls that wait for an answer. */
  get pending(): readonly PendingCall[] {
    return this.transcript.step?.unanswered() ?? [];
  }

  /** Who has claimed which of them. */
  get claims(): readonly CallClaim[] {
    return this.transcript.step?.claims() ?? [];
  }

  /** Why a posted entry has no effect; undefined if it has, or was never there. */
  refusalOf(entryId: string): Refusal | undefined {
    return this.#refusals?.get(entryId);
  }

  /** Why a turn that runs, or is about to start, was cancelled; empty where nobody said why, undefined where it was not. */
  cancelReasonOf(turnId: string): string | undefined {
    if (turnId === this.#input?.id) return this.#cancelledInput?.reason;
    if (this.compactions.waiting.length > 0 && this.compactions.isWaiting(turnId)) {
      return this.compactions.cancelReasonOf(turnId);
    }
    const reason = this.#turn?.cancelReason;
    // Asked after every append: almost always there is none.
    if (reason === undefined) return undefined;
    return this.#turn?.isInChain(turnId) === true ? reason : undefined;
  }

  /** The messages that posted entries stand for, in their order. */
  messagesOf(entryIds: readonly string[]): readonly ChatMessage[] {
    const input = this.#input;
    // The usual case, and this is asked for every turn.
    if (entryIds.length === 1 && input !== undefined && entryIds[0] === input.id) {
      return input.messages;
    }
    return entryIds.flatMap((id) => {
      if (id === input?.id) return input.messages;
      const item = this.queues.find(id);
      return item === undefined ? [] : [item.message];
    });
  }

  /** What the owner of the session has to do next, at this time. */
  nextAction(now: number): NextAction {
    const turn = this.#turn;
    if (turn !== undefined && !turn.isOver) return { type: "resume", turnId: turn.turnId };
    if (this.#input !== undefined) {
      return { type: "start", turnId: this.#input.id, input: this.#startOf(this.#input) };
    }
    return actionAtRest(this, turn?.end, now);
  }

  /** Whether nothing is to be done by itself, at this time. */
  isAtRest(now: number): boolean {
    if (this.#input !== undefined || this.#turn?.isOver === false) return false;
    return this.nextAction(now).type === "none";
  }

  /** The summary to be stored. */
  head(now: number): SessionHead {
    return this.#headOf(this.status, this.#turn?.end, now);
  }

  /** The same where the start of a turn is about to be appended. */
  headAtStart(now: number): SessionHead {
    return this.#headOf("running", undefined, now);
  }

  /** The same where this end of the turn is. */
  headAtEnd(end: TurnEnd, now: number): SessionHead {
    return this.#headOf(statusAfter(end), end, now);
  }

  #headOf(status: SessionStatus, end: TurnEnd | undefined, now: number): SessionHead {
    const agent = this.#created === undefined ? "" : this.#created.agent;
    const head: Draft<SessionHead> = { status, agent, seen: this.#seq, updatedAt: now };
    const principal = this.#created?.principal;
    const { title } = this;
    if (principal !== undefined) head.principal = principal;
    if (title !== undefined) head.title = title;
    // One that runs is due as soon as nobody has its lease.
    if (status === "running") return head;
    const action = actionAtRest(this, end, now);
    // A session that should go on by itself is due at once, should its owner be gone.
    const wakeAt = action.type === "none" ? action.wakeAt : 0;
    if (wakeAt !== undefined) head.wakeAt = wakeAt;
    return head;
  }

  /** An entry of a type that only a newer program knows. */
  skip(seq: number): void {
    this.#seq = seq;
    this.#lastPostedSeq = seq;
  }

  apply(entry: Entry): void {
    this.#seq = entry.seq;
    switch (entry.type) {
      case "created":
        this.#created = entry;
        return this.#configure(entry.config ?? {});
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
      case "pending":
        this.transcript.step?.wait(entry.pending);
        return;
      case "tool_intent":
        this.transcript.step?.start(entry);
        return;
      case "tool_result":
        return this.#addResult(entry);
      case "queue_settled":
        return this.#settleQueue(entry);
      case "forked_from":
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
        if (entry.usage !== undefined) this.#count(entry);
        else this.#interruptCompaction();
        this.compactions.fail(entry, this.transcript.length);
        return;
      case "quarantine":
        this.context.quarantine(entry);
        this.prefix.change(Math.max(0, this.transcript.placeBehind(entry.messageId) - 1));
        return;
      case "eviction":
        return this.#evict(entry);
      default:
        this.#lastPostedSeq = entry.seq;
        return this.#applyPosted(entry);
    }
  }

  #applyPosted(entry: Entry & PostedBody): void {
    switch (entry.type) {
      case "input":
        return this.#takeInput(entry);
      case "steer":
      case "follow_up":
        this.queues.add(entry);
        return;
      case "answer":
      case "decision":
        return this.#refuse(entry, this.transcript.step?.answer(entry) ?? this.#noStep());
      case "call_claimed":
        return this.#refuse(entry, this.transcript.step?.claim(entry) ?? this.#noStep());
      case "queue_cleared":
        this.queues.requestReturn(entry.queue);
        return;
      case "cancel_requested":
        return this.#refuse(entry, this.#cancel(entry));
      case "config":
        return this.#configure(entry.config);
      case "compact":
        this.compactions.request(entry);
        return;
      case "history_cleared":
        return this.#replaceHistory(entry, []);
      case "history_loaded":
        return this.#replaceHistory(entry, entry.messages);
      default:
        entry satisfies never;
    }
  }

  #startTurn(entry: EntryOf<"turn_started">): void {
    this.prefix.startTurn();
    const messages = this.messagesOf(entry.input);
    const hasInput = this.#input !== undefined && entry.input.includes(this.#input.id);
    this.#turn = new TurnFold(entry, {
      before: this.#turn,
      config: this.#config,
      options: hasInput ? this.#input?.options : undefined,
    });
    if (hasInput) {
      if (this.#cancelledInput !== undefined) this.#turn.cancel(this.#cancelledInput.reason);
      this.#cancelledInput = undefined;
      this.#input = undefined;
      this.queues.unhold();
    }
    if (entry.continues !== undefined) this.#giveUpOverdue(entry.at);
    this.queues.settle(entry.input, { type: "delivered", turnId: entry.turnId });
    if (messages.length > 0) this.transcript.add(messages);
    this.#title ??= titleOf(messages);
  }

  /** A turn goes on: what nobody has answered in time is answered by that, unless the turn only goes on to end. */
  #giveUpOverdue(at: number): void {
    if (this.#turn?.isCancelled !== true) this.transcript.step?.giveUp(at);
  }

  #resumeTurn(): void {
    this.#interruptCompaction();
    const underWay = this.#turn?.underWay;
    if (underWay === undefined) return;
    // Nobody knows what it used.
    if (underWay.isAttemptOpen) this.#count({});
    if (underWay.isAttemptOpen || underWay.isSilent) this.#turn?.voidAttempt();
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
    this.#count(entry);
    if (entry.outcome === "completed") {
      this.context.report(entry, this.transcript.length);
      this.compactions.measure(entry.usage?.inputTokens);
    }
    if (entry.outcome === "discarded") return;
    if (isReply ? step.isEmpty : entry.outcome !== "completed") this.#turn?.endStep();
  }

  #addMessage({ message, step }: EntryOf<"message">): void {
    if (message.role === "assistant") {
      this.transcript.addReply(message, step);
      this.#turn?.addReply(step);
    } else {
      this.transcript.add([message]);
      this.#turn?.endStep();
    }
  }

  #addResult(entry: EntryOf<"tool_result">): void {
    const before = this.transcript.length;
    this.transcript.addResult(entry);
    if (this.transcript.length > before) this.outputs.add(this.transcript.from(before), before);
    const { usage = {}, cost } = entry;
    if (entry.usage !== undefined || cost !== undefined) {
      this.#count({ usage, ...(cost !== undefined && { cost }) });
    }
    if (this.transcript.step?.isSettled === true) this.#turn?.endStep();
  }

  #takeInput(entry: EntryOf<"input">): void {
    if (!this.acceptsInput) return this.#refuse(entry, "turn_unfinished");
    const hasSomething = entry.messages.length > 0 || this.#isUnanswered();
    if (!hasSomething && this.queues.isEmpty) return this.#refuse(entry, "cannot_continue");
    this.#input = entry;
    // What was held for the user's next word goes along.
    if (!hasSomething) this.queues.unhold();
  }

  /** With an input that says nothing by itself, what is queued is said. */
  #startOf(input: EntryOf<"input">): readonly string[] {
    if (input.messages.length > 0 || this.#isUnanswered()) return [input.id];
    return [input.id, ...this.queues.nextTurn().map((item) => item.id)];
  }

  /** Whether the transcript ends in something that a model can reply to. */
  #isUnanswered(): boolean {
    const { last } = this.transcript;
    return last !== undefined && last.role !== "assistant";
  }

  #replaceHistory(entry: Entry, messages: readonly ChatMessage[]): void {
    if (!this.acceptsInput) return this.#refuse(entry, "turn_unfinished");
    this.#turn = undefined;
    // Another conversation: nothing says how it has to begin.
    this.#prompt = undefined;
    this.transcript.replace(messages);
    this.context.reset();
    this.compactions.reset();
    this.outputs.reset();
    this.outputs.add(messages, 0);
    this.prefix.reset();
  }

  #configure(config: SessionConfig): void {
    this.#config = { ...this.#config, ...config };
    this.queues.configure(config);
  }

  #settleQueue({ ids, outcome, turnId }: EntryOf<"queue_settled">): void {
    const isDelivered = outcome.type === "delivered";
    if (isDelivered) this.transcript.add(this.messagesOf(ids));
    this.queues.settle(ids, isDelivered ? { type: "delivered", turnId } : outcome);
  }

  /** A cancel of a turn that is over has no effect; one of a turn that waits ends it. */
  #cancel({ turnId, reason = "" }: EntryOf<"cancel_requested">): Refusal | undefined {
    if (turnId === this.#input?.id) {
      this.#cancelledInput ??= { reason };
      return undefined;
    }
    if (this.compactions.cancel(turnId, reason)) return undefined;
    const turn = this.#turn;
    if (turn?.isInChain(turnId) !== true || (turn.isOver && !turn.isSuspended)) return "turn_over";
    turn.cancel(reason);
    return undefined;
  }

  /** Nobody knows what it used. */
  #interruptCompaction(): void {
    if (this.compactions.interrupt()) this.#count({});
  }

  #compact(entry: EntryOf<"compaction">): void {
    const { usage = {} } = entry;
    this.#count({ ...entry, usage });
    const behind = this.transcript.placeBehind(entry.through);
    this.compactions.succeed(entry, this.transcript.length);
    // A summary of what is no longer there says nothing.
    if (behind === 0) return;
    this.context.summarize(entry, this.transcript.length);
    this.outputs.forgetBefore(behind);
    this.prefix.change(0);
  }

  #evict(entry: EntryOf<"eviction">): void {
    const first = this.outputs.evict(entry.toolCallIds);
    this.context.evict(entry, first, this.transcript.length);
    this.prefix.change(Math.min(first, this.transcript.length));
  }

  #noStep(): Refusal | undefined {
    return this.transcript.step === undefined ? "not_pending" : undefined;
  }

  #refuse({ id }: Entry, refusal: Refusal | undefined): void {
    if (refusal !== undefined) (this.#refusals ??= new Map()).set(id, refusal);
  }

  #count(entry: Parameters<UsageFold["add"]>[0]): void {
    const usage: Usage = this.usage.add(entry);
    this.#turn?.count(usage, entry.cost);
  }

  /** Answers to calls that wait, as the kernel takes them. */
  answers(): readonly OpenCall[] {
    return this.transcript.step?.answers() ?? [];
  }
}

/** How the last turn ended, as the status of its session: one that was aborted counts as completed. */
function statusAfter(end: TurnEnd): SessionStatus {
  if (end.pending !== undefined) return "awaiting_tool_execution";
  return end.finishReason === "error" ? "error" : "completed";
}

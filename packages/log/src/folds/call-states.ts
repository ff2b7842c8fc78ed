/** Calls of the open step as the log records them, and their answers from outside. */
import type {
  AssistantMessage,
  JsonValue,
  LastReply,
  NestedCall,
  OpenCall,
  PendingCall,
  ToolCallPart,
  ToolMessage,
  ToolResult,
} from "@capstan/kernel";
import { toToolMessage } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import { SuspendedCall } from "./suspended-call.ts";
import { WaitingCall } from "./waiting-call.ts";

/** Reason why a posted entry has no effect. */
export type Refusal =
  /** No call with this id is pending: it is unknown, not pending, or settled. */
  | "not_pending"
  | "already_answered"
  /** Another client is running the call, and its claim has not expired. */
  | "already_claimed"
  /** The decision is about another call, tool or input than the pending one. */
  | "hash_mismatch"
  /** A result for a call that waits for an approval, or the reverse. */
  | "wrong_kind"
  /** An input or a new history, while a turn runs, or is about to start or continue. */
  | "turn_unfinished"
  /** An input or a new history, while calls wait for answers. */
  | "calls_pending"
  /** A cancel of a turn that has ended or never existed. */
  | "turn_over"
  /** An input without messages, while nothing waits for a reply. */
  | "cannot_continue"
  /** A rewind to a message that is not in the history. */
  | "unknown_message";

/** Client that claimed a call, and the end of its claim. */
export interface CallClaim {
  readonly toolCallId: string;
  readonly claimedBy: string;
  readonly until: number;
}

/** A call that runs here, or is about to. */
export interface RunningCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** As the tool gets it. */
  readonly input: JsonValue;
}

interface CallState {
  readonly call: ToolCallPart;
  /** State that the owner recorded last. */
  open: OpenCall;
  /** Set while the call is recorded as pending. */
  waiting: WaitingCall | undefined;
  /** Set while the call is suspended by its own tool. */
  suspended: SuspendedCall | undefined;
  /** Calls that the tool has made itself, by id. Created with the first. */
  nested: Map<string, NestedCall> | undefined;
}

const fewCalls = 8;

/** Calls of the last reply: which have results, which run, and which wait for an answer. */
export class CallStates implements LastReply {
  readonly message: AssistantMessage;
  readonly step: number;
  readonly #states: readonly CallState[];
  /** Created for steps with many calls: searching a short list is faster. */
  readonly #byId: ReadonlyMap<string, CallState> | undefined;
  /** Number of calls without a recorded result: read for every result, so nothing may iterate over the list. */
  #unsettled: number;
  #messages: readonly ToolMessage[] | undefined;

  constructor(message: AssistantMessage, step: number) {
    this.message = message;
    this.step = step;
    const states: CallState[] = [];
    for (const part of message.content) {
      if (part.type !== "tool_call" || part.isProviderExecuted === true) continue;
      const open = { toolCallId: part.id, state: "fresh" } as const;
      states.push({
        call: part,
        open,
        waiting: undefined,
        suspended: undefined,
        nested: undefined,
      });
    }
    this.#states = states;
    this.#unsettled = states.length;
    if (states.length > fewCalls) this.#byId = new Map(states.map((each) => [each.call.id, each]));
  }

  get isEmpty(): boolean {
    return this.#states.length === 0;
  }

  /** True if every call has its recorded result. */
  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  /** Results that are recorded, while others are missing. */
  get results(): readonly ToolResult[] {
    return this.#states.flatMap(({ open }) =>
      open.state === "settled" && open.isRecorded === true ? [open.result] : [],
    );
  }

  /** Messages of all results in call order, if this is the last missing one. Created once: the event and the transcript share them. */
  messagesWith(toolCallId: string, result: ToolResult): readonly ToolMessage[] {
    return (this.#messages ??= this.#states.map(({ call, open }) => {
      const isOpen = call.id === toolCallId || open.state !== "settled";
      return toToolMessage(call, isOpen ? result : open.result);
    }));
  }

  /** Calls as the kernel takes them when it enters the step. */
  toOpen(): readonly OpenCall[] {
    return this.#states.map((state) => {
      const { waiting, suspended, open } = state;
      return withNested(suspended?.toOpen() ?? waiting?.open ?? open, state);
    });
  }

  /** Answers to pending calls, and suspended calls that run again. */
  answers(): readonly OpenCall[] {
    return this.#states.flatMap((state) => {
      const { waiting, suspended } = state;
      if (suspended === undefined) return waiting?.open ?? [];
      return suspended.isReady ? withNested(suspended.toOpen(), state) : [];
    });
  }

  /** Questions without an answer: pending calls, and those of suspended calls. */
  unanswered(): readonly PendingCall[] {
    return this.#questions().flatMap(({ pending, answer }) =>
      answer === undefined ? pending : [],
    );
  }

  get hasUnanswered(): boolean {
    return this.#questions().some(({ answer }) => answer === undefined);
  }

  /** Pending calls without a result, including those that were approved or denied since. */
  withoutResult(): readonly PendingCall[] {
    return this.#waiting().flatMap(({ pending, answer }) =>
      answer?.state === "settled" ? [] : pending,
    );
  }

  nameOf(toolCallId: string): string {
    return this.#find(toolCallId)?.call.name ?? "";
  }

  /** Calls that are suspended by their own tools, with their questions as asked last. */
  suspended(): readonly SuspendedCall[] {
    return this.#states.flatMap(({ suspended }) => suspended ?? []);
  }

  /**
   * Time at which a turn that is suspended here continues by itself: now, if everything is answered or overdue, or a suspended call runs again;
   * `Infinity`, if only an answer can continue it.
   */
  continuesAt(now: number): number {
    let lastDeadline = -Infinity;
    let next = Infinity;
    for (const { waiting, suspended } of this.#states) {
      if (suspended?.isReadyAt(now) === true) return now;
      if (suspended !== undefined) {
        lastDeadline = Infinity;
        next = Math.min(next, suspended.wakeAt ?? Infinity);
      }
      if (waiting === undefined || waiting.isDoneAt(now)) continue;
      lastDeadline = Math.max(lastDeadline, waiting.pending.deadlineAt ?? Infinity);
    }
    return lastDeadline === -Infinity ? now : Math.min(lastDeadline, next);
  }

  /** Calls that have started and have no recorded result. */
  started(): readonly { readonly toolCallId: string; readonly toolName: string }[] {
    return this.#states.flatMap(({ call, open }) =>
      open.state === "started" ? [{ toolCallId: call.id, toolName: call.name }] : [],
    );
  }

  /** Calls without a result that wait for no answer: they run, or are about to. */
  running(): readonly RunningCall[] {
    return this.#states.flatMap(({ call, open, waiting }) => {
      const last = waiting?.open ?? open;
      if (isOver(last)) return [];
      const { input = call.input } = last as { readonly input?: JsonValue };
      return [{ toolCallId: call.id, toolName: call.name, input }];
    });
  }

  wait(calls: readonly PendingCall[]): void {
    for (const pending of calls) {
      const state = this.#find(pending.toolCallId);
      if (state === undefined) continue;
      this.#open(state, { toolCallId: pending.toolCallId, state: "pending", pending });
      // An approved remote call now waits to be run: the approval does not answer that.
      state.waiting = new WaitingCall(pending);
    }
  }

  /** The call's own tool has suspended it. */
  suspend(entry: EntryOf<"suspended">): void {
    const state = this.#find(entry.toolCallId);
    if (state === undefined) return;
    const { toolCallId, pending } = entry;
    this.#open(state, { toolCallId, state: "suspended", pending });
    state.suspended = new SuspendedCall(entry);
  }

  /** The call with this id, if its own tool has suspended it. */
  suspendedCall(toolCallId: string): SuspendedCall | undefined {
    return this.#find(toolCallId)?.suspended;
  }

  /** Closes calls whose deadline has passed at this moment: they can no longer be answered. */
  giveUp(at: number): void {
    for (const { waiting, suspended } of this.#states) (waiting ?? suspended)?.giveUp(at);
  }

  /** Answers what is open on behalf of the user: approvals are denied, executions fail. The reason is for the model. */
  settlePending(reason: string): void {
    for (const waiting of this.#questions()) waiting.settle(reason);
  }

  start({ toolCallId, key, input }: EntryOf<"tool_intent">): void {
    const resumed = this.#find(toolCallId)?.suspended?.resumed;
    this.#record({
      toolCallId,
      state: "started",
      key,
      ...(input !== undefined && { input }),
      ...(resumed !== undefined && { resumed }),
    });
  }

  startNested({ within, toolCallId, hash, key }: EntryOf<"nested_intent">): void {
    this.#nest(within, { toolCallId, hash, state: "started", key });
  }

  settleNested({ within, toolCallId, hash, result }: EntryOf<"nested_result">): void {
    this.#nest(within, { toolCallId, hash, state: "settled", result });
  }

  settle({ toolCallId, result }: EntryOf<"tool_result">): void {
    this.#record({ toolCallId, state: "settled", result, isRecorded: true });
  }

  isLast(toolCallId: string): boolean {
    const state = this.#unsettled === 1 ? this.#find(toolCallId) : undefined;
    return state !== undefined && state.open.state !== "settled";
  }

  /** Takes a posted answer, or returns why it is refused. */
  answer(entry: EntryOf<"answer"> | EntryOf<"decision">): Refusal | undefined {
    const asked = this.#asked(entry.toolCallId);
    return asked === undefined ? "not_pending" : asked.take(entry);
  }

  /** Lets a client run a pending call, or returns why it is refused. A client that already has the call extends its claim. */
  claim(entry: EntryOf<"call_claimed">): Refusal | undefined {
    const asked = this.#asked(entry.toolCallId);
    return asked === undefined ? "not_pending" : asked.claimFor(entry);
  }

  /** Claims of pending calls, including expired ones. */
  claims(): readonly CallClaim[] {
    return this.#questions().flatMap(({ claim }) => claim ?? []);
  }

  /** The pending call with this id, or the question of a suspended call. Questions of child sessions are answered there. */
  #asked(toolCallId: string): WaitingCall | undefined {
    const { waiting } = this.#find(toolCallId) ?? {};
    if (waiting !== undefined) return waiting;
    return this.suspended()
      .flatMap(({ questions }) => questions)
      .find(({ pending }) => pending.toolCallId === toolCallId && pending.via === undefined);
  }

  #find(toolCallId: string): CallState | undefined {
    if (this.#byId !== undefined) return this.#byId.get(toolCallId);
    return this.#states.find(({ call }) => call.id === toolCallId);
  }

  #nest(within: string, call: NestedCall): void {
    const state = this.#find(within);
    if (state === undefined) return;
    (state.nested ??= new Map()).set(call.toolCallId, call);
  }

  #open(state: CallState, open: OpenCall): void {
    if (state.open.state === "settled") this.#unsettled++;
    if (open.state === "settled") this.#unsettled--;
    state.open = open;
    state.waiting = undefined;
    state.suspended = undefined;
  }

  #waiting(): readonly WaitingCall[] {
    return this.#states.flatMap(({ waiting }) => waiting ?? []);
  }

  /** Everything that is asked of the outside. */
  #questions(): readonly WaitingCall[] {
    return this.#states.flatMap(({ waiting, suspended }) => waiting ?? suspended?.questions ?? []);
  }

  #record(open: OpenCall): void {
    const state = this.#find(open.toolCallId);
    if (state !== undefined) this.#open(state, open);
  }
}

function withNested(open: OpenCall, { nested }: CallState): OpenCall {
  return nested === undefined ? open : { ...open, nested: [...nested.values()] };
}

/** Whether a call in this state neither runs nor is about to run. */
function isOver({ state }: OpenCall): boolean {
  return state === "settled" || state === "denied" || state === "pending" || state === "suspended";
}

/** Calls of the open step as the log records them, and their answers from outside. */
import type {
  AssistantMessage,
  JsonValue,
  LastReply,
  OpenCall,
  PendingCall,
  ToolCallPart,
  ToolMessage,
  ToolResult,
} from "@capstan/kernel";
import { toToolMessage } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import { isOverdue } from "../repository/is-overdue.ts";

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

/** A pending call, and what was posted about it. */
interface WaitingCall {
  readonly pending: PendingCall;
  /** The first answer counts. */
  answer: OpenCall | undefined;
  /** Its time has run out: a generated answer replaces the missing one. */
  isGivenUp: boolean;
  claim: CallClaim | undefined;
}

interface CallState {
  readonly call: ToolCallPart;
  /** State that the owner recorded last. */
  open: OpenCall;
  /** Set while the call is recorded as pending. */
  waiting: WaitingCall | undefined;
}

/** Result that the model gets for a call that was not answered in time. */
const unanswered = { isError: true, output: "This call was not answered in time." } as const;

const fewCalls = 8;

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
      states.push({ call: part, open, waiting: undefined });
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

  /** Messages of all results in call order, if this is the last missing one. Created once: the event and the transcript share them. */
  messagesWith(toolCallId: string, result: ToolResult): readonly ToolMessage[] {
    return (this.#messages ??= this.#states.map(({ call, open }) => {
      const isOpen = call.id === toolCallId || open.state !== "settled";
      return toToolMessage(call, isOpen ? result : open.result);
    }));
  }

  /** Calls as the kernel takes them when it enters the step. */
  toOpen(): readonly OpenCall[] {
    return this.#states.map(({ open, waiting }) => waiting?.answer ?? open);
  }

  /** Answers to pending calls. */
  answers(): readonly OpenCall[] {
    return this.#waiting().flatMap(({ answer }) => answer ?? []);
  }

  /** Pending calls without an answer. */
  unanswered(): readonly PendingCall[] {
    return this.#waiting().flatMap(({ pending, answer }) => (answer === undefined ? pending : []));
  }

  get hasUnanswered(): boolean {
    return this.#states.some(
      ({ waiting }) => waiting !== undefined && waiting.answer === undefined,
    );
  }

  /** Pending calls without a result, including those that were approved or denied since. */
  withoutResult(): readonly PendingCall[] {
    return this.#waiting().flatMap(({ pending, answer }) =>
      answer?.state === "settled" ? [] : pending,
    );
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
      const last = waiting?.answer ?? open;
      if (last.state === "settled" || last.state === "denied" || last.state === "pending")
        return [];
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
      state.waiting = { pending, answer: undefined, isGivenUp: false, claim: undefined };
    }
  }

  /** Closes calls whose deadline has passed at this moment: they can no longer be answered. */
  giveUp(at: number): void {
    for (const waiting of this.#waiting()) {
      const { pending } = waiting;
      if (waiting.answer !== undefined || !isOverdue(pending, at)) continue;
      waiting.answer = { toolCallId: pending.toolCallId, state: "settled", result: unanswered };
      waiting.isGivenUp = true;
    }
  }

  /** Answers the pending calls without an answer: approvals are denied, executions fail. The reason is for the model. */
  settlePending(reason: string): void {
    for (const waiting of this.#waiting()) {
      const { toolCallId, kind } = waiting.pending;
      const result = { isError: true, output: `Not answered: ${reason}` };
      waiting.answer ??=
        kind === "approval"
          ? { toolCallId, state: "denied", reason }
          : { toolCallId, state: "settled", result };
    }
  }

  start({ toolCallId, key, input }: EntryOf<"tool_intent">): void {
    this.#record({ toolCallId, state: "started", key, ...(input !== undefined && { input }) });
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
    const waiting = this.#find(entry.toolCallId)?.waiting;
    if (waiting === undefined || waiting.isGivenUp) return "not_pending";
    if (waiting.answer !== undefined) return "already_answered";
    const { pending } = waiting;
    const toolCallId = entry.toolCallId;
    if (entry.type === "answer") {
      if (pending.kind !== "execution") return "wrong_kind";
      waiting.answer = { toolCallId, state: "settled", result: entry.result };
      return undefined;
    }
    if (pending.kind !== "approval") return "wrong_kind";
    if (pending.hash !== entry.hash) return "hash_mismatch";
    const { reason } = entry;
    waiting.answer = entry.isApproved
      ? { toolCallId, state: "approved", input: pending.input }
      : { toolCallId, state: "denied", ...(reason !== undefined && { reason }) };
    return undefined;
  }

  /** Lets a client run a pending call, or returns why it is refused. A client that already has the call extends its claim. */
  claim(entry: EntryOf<"call_claimed">): Refusal | undefined {
    const { toolCallId, claimedBy, leaseMs, at } = entry;
    const waiting = this.#find(toolCallId)?.waiting;
    if (waiting === undefined || waiting.isGivenUp) return "not_pending";
    if (waiting.answer !== undefined) return "already_answered";
    if (waiting.pending.kind !== "execution") return "wrong_kind";
    const { claim } = waiting;
    const isTaken = claim !== undefined && claim.claimedBy !== claimedBy && claim.until > at;
    if (isTaken) return "already_claimed";
    waiting.claim = { toolCallId, claimedBy, until: at + leaseMs };
    return undefined;
  }

  /** Claims of pending calls, including expired ones. */
  claims(): readonly CallClaim[] {
    return this.#waiting().flatMap(({ answer, claim }) =>
      answer === undefined ? (claim ?? []) : [],
    );
  }

  #find(toolCallId: string): CallState | undefined {
    if (this.#byId !== undefined) return this.#byId.get(toolCallId);
    return this.#states.find(({ call }) => call.id === toolCallId);
  }

  #open(state: CallState, open: OpenCall): void {
    if (state.open.state === "settled") this.#unsettled++;
    if (open.state === "settled") this.#unsettled--;
    state.open = open;
    state.waiting = undefined;
  }

  #waiting(): readonly WaitingCall[] {
    return this.#states.flatMap(({ waiting }) => waiting ?? []);
  }

  #record(open: OpenCall): void {
    const state = this.#find(open.toolCallId);
    if (state !== undefined) this.#open(state, open);
  }
}

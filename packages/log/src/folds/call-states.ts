/** The calls of the step that is open, as the log tells of them, and what was answered from outside. */
import type {
  AssistantMessage,
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

/** Why a posted entry has no effect. */
export type Refusal =
  /** No call of this id waits: it is unknown, not pending, or settled. */
  | "not_pending"
  | "already_answered"
  /** Somebody else is running the call, and has time left. */
  | "already_claimed"
  /** A decision about something else than what waits. */
  | "hash_mismatch"
  /** A result for a call that waits for an approval, or the other way round. */
  | "wrong_kind"
  /** An input or another history, while a turn runs or waits for answers. */
  | "turn_unfinished"
  /** A cancel of a turn that is over or was never there. */
  | "turn_over"
  /** An input without messages, where nothing waits for a reply. */
  | "cannot_continue";

/** Who has said that they run a call, and until when. */
export interface CallClaim {
  readonly toolCallId: string;
  readonly claimedBy: string;
  readonly until: number;
}

/** A call that waits, and what was posted about it. */
interface WaitingCall {
  readonly pending: PendingCall;
  /** The first counts. */
  answer: OpenCall | undefined;
  /** Its time ran out: an answer stands for the one that did not come. */
  isGivenUp: boolean;
  claim: CallClaim | undefined;
}

interface CallState {
  readonly call: ToolCallPart;
  /** What the owner recorded last. */
  open: OpenCall;
  /** As long as it is recorded as pending. */
  waiting: WaitingCall | undefined;
}

/** What the model is told about a call that nobody answered. */
const unanswered = { isError: true, output: "Nobody answered this call in time." } as const;

const fewCalls = 8;

export class CallStates implements LastReply {
  readonly message: AssistantMessage;
  readonly step: number;
  readonly #states: readonly CallState[];
  /** Made for steps of many calls: in a short list looking is faster. */
  readonly #byId: ReadonlyMap<string, CallState> | undefined;
  /** How many have no recorded result: asked with every result, so nothing may go through the list. */
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

  /** Whether every call has its recorded result. */
  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  /** The messages of all results in call order, where this one is the last that was missing. Made once: the event and the transcript share them. */
  messagesWith(toolCallId: string, result: ToolResult): readonly ToolMessage[] {
    return (this.#messages ??= this.#states.map(({ call, open }) => {
      const isOpen = call.id === toolCallId || open.state !== "settled";
      return toToolMessage(call, isOpen ? result : open.result);
    }));
  }

  /** As the kernel takes them when it enters the step. */
  toOpen(): readonly OpenCall[] {
    return this.#states.map(({ open, waiting }) => waiting?.answer ?? open);
  }

  /** Answers to calls that wait. */
  answers(): readonly OpenCall[] {
    return this.#waiting().flatMap(({ answer }) => answer ?? []);
  }

  /** Calls that wait and have no answer yet. */
  unanswered(): readonly PendingCall[] {
    return this.#waiting().flatMap(({ pending, answer }) => (answer === undefined ? pending : []));
  }

  /** Calls that wait and have no result, whether they were approved or denied since or not. */
  withoutResult(): readonly PendingCall[] {
    return this.#waiting().flatMap(({ pending, answer }) =>
      answer?.state === "settled" ? [] : pending,
    );
  }

  /** Calls that were started and have no recorded result. */
  started(): readonly { readonly toolCallId: string; readonly toolName: string }[] {
    return this.#states.flatMap(({ call, open }) =>
      open.state === "started" ? [{ toolCallId: call.id, toolName: call.name }] : [],
    );
  }

  wait(calls: readonly PendingCall[]): void {
    for (const pending of calls) {
      const state = this.#find(pending.toolCallId);
      if (state === undefined) continue;
      this.#open(state, { toolCallId: pending.toolCallId, state: "pending", pending });
      // A remote call that was approved now waits to be run: the approval is no answer to that.
      state.waiting = { pending, answer: undefined, isGivenUp: false, claim: undefined };
    }
  }

  /** Nobody can answer any more what had no time left at this moment. */
  giveUp(at: number): void {
    for (const waiting of this.#waiting()) {
      const { pending } = waiting;
      if (waiting.answer !== undefined || !isOverdue(pending, at)) continue;
      waiting.answer = { toolCallId: pending.toolCallId, state: "settled", result: unanswered };
      waiting.isGivenUp = true;
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

  /** Takes a posted answer, or says why not. */
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

  /** Lets somebody run a call that waits, or says why not. Who has it already has it for longer. */
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

  /** Of calls that wait, the outdated ones included. */
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

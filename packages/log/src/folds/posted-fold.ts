/** Posts to a session and whether they count: the input whose turn is to start, the configuration, refusals. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type { Refusal } from "./call-states.ts";
import type { CompactionFold } from "./compaction-fold.ts";
import type { Entry, EntryOf, PostedBody, SessionConfig } from "../entries/entries.ts";
import type { QueueFold, QueuedOrigin } from "./queue-fold.ts";
import type { TranscriptFold } from "./transcript-fold.ts";
import type { TurnFold, TurnOrigin } from "./turn-fold.ts";

/** State that a post may affect. */
interface Addressed {
  readonly acceptsInput: boolean;
  readonly turn: TurnFold | undefined;
}

/** A new or shorter history, or a report, changes other state too: the session handles that. */
type SimplePost = Exclude<
  PostedBody,
  {
    readonly type:
      | "history_cleared"
      | "history_loaded"
      | "history_rewound"
      | "child_reported"
      | "budget_granted";
  }
>;

/** An input that is about to be posted. */
export type InputBody = Extract<PostedBody, { readonly type: "input" }>;

/** @internal State in a checkpoint. */
export interface SavedPosts {
  readonly config: SessionConfig;
  readonly input: EntryOf<"input"> | undefined;
  readonly cancelReason: string | undefined;
  readonly abandonReason: string | undefined;
  readonly settledIn: readonly (readonly [string, string])[];
  readonly refusals: readonly (readonly [string, Refusal])[];
}

export class PostedFold {
  readonly #transcript: TranscriptFold;
  readonly #queues: QueueFold;
  readonly #compactions: CompactionFold;
  #config: SessionConfig = {};
  #input: EntryOf<"input"> | undefined;
  #cancelReason: string | undefined;
  #abandonReason: string | undefined;
  /** Turns that deliver the messages of inputs that settled pending calls, by the input's id. */
  #settledIn: Map<string, string> | undefined;
  #refusals: Map<string, Refusal> | undefined;

  constructor(transcript: TranscriptFold, queues: QueueFold, compactions: CompactionFold) {
    this.#transcript = transcript;
    this.#queues = queues;
    this.#compactions = compactions;
  }

  get config(): SessionConfig {
    return this.#config;
  }

  /** Input that was accepted, and whose turn has not started. */
  get input(): EntryOf<"input"> | undefined {
    return this.#input;
  }

  /** Reason why that input was cancelled; empty if none was given, undefined if it was not cancelled. */
  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  /** Reason why that input was abandoned, likewise. */
  get abandonReason(): string | undefined {
    return this.#abandonReason;
  }

  /** Id of the turn that an input started, or that delivers its messages. */
  turnIdOf(inputId: string): string {
    return this.#settledIn?.get(inputId) ?? inputId;
  }

  refusalOf(entryId: string): Refusal | undefined {
    return this.#refusals?.get(entryId);
  }

  /** Messages of posted entries, in order. */
  messagesOf(entryIds: readonly string[]): readonly ChatMessage[] {
    const input = this.#input;
    // The usual case, and this runs for every turn.
    if (entryIds.length === 1 && input !== undefined && entryIds[0] === input.id) {
      return input.messages;
    }
    return entryIds.flatMap((id) => {
      if (id === input?.id) return input.messages;
      const item = this.#queues.find(id);
      return item === undefined ? [] : [item.message];
    });
  }

  /** An input without messages sends the queued messages. */
  startOf(input: EntryOf<"input">): readonly string[] {
    if (input.messages.length > 0 || this.#isUnanswered()) return [input.id];
    return [input.id, ...this.#queues.nextTurn().map((item) => item.id)];
  }

  /** The accepted input, if this turn starts with it. */
  inputOf({ input: ids }: EntryOf<"turn_started">): EntryOf<"input"> | undefined {
    return this.#input !== undefined && ids.includes(this.#input.id) ? this.#input : undefined;
  }

  /** Values that a turn of these entries starts with. What its input does not state is that of its first message. */
  originOf(entryIds: readonly string[]): TurnOrigin {
    const input = this.#input;
    const given = input !== undefined && entryIds.includes(input.id) ? input : noOrigin;
    return originWith(given, this.messagesOf(entryIds)[0], this.#queuedOrigin(entryIds));
  }

  /** Origin of the first queued message, if the turn starts with one. */
  #queuedOrigin(entryIds: readonly string[]): QueuedOrigin | undefined {
    const first = entryIds.find((id) => this.#queues.find(id) !== undefined);
    return first === undefined ? undefined : this.#queues.originOf(first);
  }

  /** Clears the input: its turn has started. */
  clearInput(): void {
    this.#cancelReason = undefined;
    this.#abandonReason = undefined;
    this.#input = undefined;
  }

  apply(entry: Entry & SimplePost, session: Addressed): void {
    switch (entry.type) {
      case "input":
        return this.#takeInput(entry, session);
      case "steer":
      case "follow_up":
        this.#queues.add(entry);
        return;
      case "answer":
      case "decision":
        return this.refuse(entry, this.#transcript.step?.answer(entry) ?? this.#noStep());
      case "call_claimed":
        return this.refuse(entry, this.#transcript.step?.claim(entry) ?? this.#noStep());
      case "queue_cleared":
        this.#queues.requestReturn(entry);
        return;
      case "cancel_requested":
        return this.refuse(entry, this.#cancel(entry, session));
      case "abandon_requested":
        return this.refuse(entry, this.#abandon(entry, session));
      case "config":
        return this.configure(entry.config);
      case "compact":
        this.#compactions.request(entry);
        return;
      default:
        entry satisfies never;
    }
  }

  configure(config: SessionConfig): void {
    this.#config = { ...this.#config, ...config };
    this.#queues.configure(config);
  }

  refuse({ id }: Entry, refusal: Refusal | undefined): void {
    if (refusal !== undefined) (this.#refusals ??= new Map()).set(id, refusal);
  }

  /** Reason why a session that accepts no input refuses one. */
  whyUnfinished({ turn }: Addressed): Refusal {
    const isWaiting = this.#isSuspended(turn) && this.#transcript.step?.hasUnanswered === true;
    return isWaiting ? "calls_pending" : "turn_unfinished";
  }

  /** Whether the turn is suspended, and would continue with its answers. */
  #isSuspended(turn: TurnFold | undefined): turn is TurnFold {
    return this.#input === undefined && turn?.isSuspended === true && !turn.isStopped;
  }

  #takeInput(entry: EntryOf<"input">, session: Addressed): void {
    if (!session.acceptsInput) return this.#takeSettling(entry, session);
    const hasSomething = entry.messages.length > 0 || this.#isUnanswered();
    if (!hasSomething && this.#queues.isEmpty) return this.refuse(entry, "cannot_continue");
    this.#input = entry;
    // Messages that were held for the user's next input are included.
    if (!hasSomething) this.#queues.unhold();
  }

  /** Settles the pending calls if the input says so; the turn that continues delivers its messages. */
  #takeSettling(entry: EntryOf<"input">, session: Addressed): void {
    const { settles } = entry;
    const { turn } = session;
    if (settles === undefined || !this.#isSuspended(turn)) {
      return this.refuse(entry, this.whyUnfinished(session));
    }
    this.#transcript.step?.settlePending(settles);
    this.#queues.addInput(entry);
    turn.override(toOrigin({ ...entry, call: undefined, budget: undefined }));
    (this.#settledIn ??= new Map()).set(entry.id, turn.nextId());
  }

  /** Whether the transcript ends in a message that a model can reply to. */
  #isUnanswered(): boolean {
    const { last } = this.#transcript;
    return last !== undefined && last.role !== "assistant";
  }

  /** A cancel of a turn that has ended has no effect; a cancel of a suspended turn ends it. */
  #cancel(
    { turnId, reason = "" }: EntryOf<"cancel_requested">,
    { turn }: Addressed,
  ): Refusal | undefined {
    if (turnId === this.#input?.id) {
      this.#cancelReason ??= reason;
      return undefined;
    }
    if (this.#compactions.cancel(turnId, reason)) return undefined;
    if (!this.#isUnfinished(turn, turnId)) return "turn_over";
    turn.cancel(reason);
    return undefined;
  }

  #abandon(
    { turnId, reason = "" }: EntryOf<"abandon_requested">,
    { turn }: Addressed,
  ): Refusal | undefined {
    if (turnId === this.#input?.id) {
      this.#abandonReason ??= reason;
      return undefined;
    }
    if (!this.#isUnfinished(turn, turnId)) return "turn_over";
    turn.abandon(reason);
    return undefined;
  }

  /** Whether this turn is in the chain of the last turn, and that runs or is suspended. */
  #isUnfinished(turn: TurnFold | undefined, turnId: string): turn is TurnFold {
    if (turn?.isInChain(this.turnIdOf(turnId)) !== true) return false;
    return !turn.isOver || turn.isSuspended;
  }

  /** @internal State for a checkpoint. */
  save(): SavedPosts {
    return {
      config: this.#config,
      input: this.#input,
      cancelReason: this.#cancelReason,
      abandonReason: this.#abandonReason,
      settledIn: [...(this.#settledIn ?? [])],
      refusals: [...(this.#refusals ?? [])],
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load(saved: SavedPosts): void {
    this.#config = saved.config;
    this.#input = saved.input;
    this.#cancelReason = saved.cancelReason;
    this.#abandonReason = saved.abandonReason;
    if (saved.settledIn.length > 0) this.#settledIn = new Map(saved.settledIn);
    if (saved.refusals.length > 0) this.#refusals = new Map(saved.refusals);
  }

  #noStep(): Refusal | undefined {
    return this.#transcript.step === undefined ? "not_pending" : undefined;
  }
}

const noOrigin: TurnOrigin = {};

/** Values that a turn of this input starts with, before the input is in the log. */
export function originOfInput(input: InputBody): TurnOrigin {
  return originWith(input, input.messages[0], undefined);
}

/** Takes what the input does not state from its first message. */
function originWith(
  input: TurnOrigin,
  first: ChatMessage | undefined,
  queued: QueuedOrigin | undefined,
): TurnOrigin {
  const {
    options,
    metadata = metadataOf(first),
    app = queued?.app,
    trace = queued?.trace,
    call = queued?.call,
    budget,
  } = input;
  return toOrigin({ options, metadata, app, trace, call, budget });
}

type Possible<T> = { readonly [Field in keyof T]: T[Field] | undefined };

/** Returns the fields that are given. */
function toOrigin({
  options,
  metadata,
  app,
  trace,
  call,
  budget,
}: Possible<TurnOrigin>): TurnOrigin {
  return {
    ...(options !== undefined && { options }),
    ...(metadata !== undefined && { metadata }),
    ...(app !== undefined && { app }),
    ...(trace !== undefined && { trace }),
    ...(call !== undefined && { call }),
    ...(budget !== undefined && { budget }),
  };
}

function metadataOf(message: ChatMessage | undefined): JsonValue | undefined {
  return message?.role === "user" ? message.metadata : undefined;
}

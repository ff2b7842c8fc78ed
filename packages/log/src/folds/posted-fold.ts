/** What was posted to a session, and whether it counts: the input whose turn is to start, the configuration, what was refused. */
import type { ChatMessage } from "@capstan/kernel";
import type { Refusal } from "./call-states.ts";
import type { CompactionFold } from "./compaction-fold.ts";
import type { Entry, EntryOf, PostedBody, SessionConfig } from "../entries/entries.ts";
import type { QueueFold } from "./queue-fold.ts";
import type { TranscriptFold } from "./transcript-fold.ts";
import type { TurnFold } from "./turn-fold.ts";

/** What a post may meet. */
interface Addressed {
  readonly acceptsInput: boolean;
  readonly turn: TurnFold | undefined;
}

/** Another history changes everything else, too: the session does that. */
type SimplePost = Exclude<PostedBody, { readonly type: "history_cleared" | "history_loaded" }>;

export class PostedFold {
  readonly #transcript: TranscriptFold;
  readonly #queues: QueueFold;
  readonly #compactions: CompactionFold;
  #config: SessionConfig = {};
  #input: EntryOf<"input"> | undefined;
  #cancelReason: string | undefined;
  #refusals: Map<string, Refusal> | undefined;

  constructor(transcript: TranscriptFold, queues: QueueFold, compactions: CompactionFold) {
    this.#transcript = transcript;
    this.#queues = queues;
    this.#compactions = compactions;
  }

  get config(): SessionConfig {
    return this.#config;
  }

  /** Accepted, and its turn has not started. */
  get input(): EntryOf<"input"> | undefined {
    return this.#input;
  }

  /** Why that input was cancelled; empty where nobody said why, undefined where it was not. */
  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  refusalOf(entryId: string): Refusal | undefined {
    return this.#refusals?.get(entryId);
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
      const item = this.#queues.find(id);
      return item === undefined ? [] : [item.message];
    });
  }

  /** With an input that says nothing by itself, what is queued is said. */
  startOf(input: EntryOf<"input">): readonly string[] {
    if (input.messages.length > 0 || this.#isUnanswered()) return [input.id];
    return [input.id, ...this.#queues.nextTurn().map((item) => item.id)];
  }

  /** The accepted input, if this turn starts with it. */
  inputOf({ input: ids }: EntryOf<"turn_started">): EntryOf<"input"> | undefined {
    return this.#input !== undefined && ids.includes(this.#input.id) ? this.#input : undefined;
  }

  /** Its turn has started. */
  settleInput(): void {
    this.#cancelReason = undefined;
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
        this.#queues.requestReturn(entry.queue);
        return;
      case "cancel_requested":
        return this.refuse(entry, this.#cancel(entry, session));
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

  #takeInput(entry: EntryOf<"input">, { acceptsInput }: Addressed): void {
    if (!acceptsInput) return this.refuse(entry, "turn_unfinished");
    const hasSomething = entry.messages.length > 0 || this.#isUnanswered();
    if (!hasSomething && this.#queues.isEmpty) return this.refuse(entry, "cannot_continue");
    this.#input = entry;
    // What was held for the user's next word goes along.
    if (!hasSomething) this.#queues.unhold();
  }

  /** Whether the transcript ends in something that a model can reply to. */
  #isUnanswered(): boolean {
    const { last } = this.#transcript;
    return last !== undefined && last.role !== "assistant";
  }

  /** A cancel of a turn that is over has no effect; one of a turn that waits ends it. */
  #cancel(
    { turnId, reason = "" }: EntryOf<"cancel_requested">,
    { turn }: Addressed,
  ): Refusal | undefined {
    if (turnId === this.#input?.id) {
      this.#cancelReason ??= reason;
      return undefined;
    }
    if (this.#compactions.cancel(turnId, reason)) return undefined;
    if (turn?.isInChain(turnId) !== true || (turn.isOver && !turn.isSuspended)) return "turn_over";
    turn.cancel(reason);
    return undefined;
  }

  #noStep(): Refusal | undefined {
    return this.#transcript.step === undefined ? "not_pending" : undefined;
  }
}

/** The messages of a session, and the step that is open at their end. */
import type { AssistantMessage, ChatMessage, OpenCall } from "@capstan/kernel";
import { CallStates } from "./call-states.ts";
import type { EntryOf } from "../entries/entries.ts";

/** Where a turn goes on: the messages for the kernel, and the calls of the step that they leave off in. */
export interface EntryPoint {
  readonly messages: readonly ChatMessage[];
  readonly open?: readonly OpenCall[];
}

export class TranscriptFold {
  /**
   * What was there when the turn under way began: a list that does not change while it runs, so that the loop can work on it
   * without a copy.
   */
  #history: ChatMessage[] = [];
  #recent: ChatMessage[] = [];
  #step: CallStates | undefined;
  /** The entries that added messages, and how many messages there were after each. */
  #addedAt: number[] = [];
  #lengths: number[] = [];

  /** Tells which entry was applied last. */
  mark(seq: number): void {
    const { length } = this;
    if (length === (this.#lengths.at(-1) ?? 0)) return;
    this.#addedAt.push(seq);
    this.#lengths.push(length);
  }

  /** How many of the messages were there after this entry: none, if the history was replaced since. */
  #lengthAt(seq: number): number {
    let low = 0;
    let high = this.#addedAt.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#addedAt[middle] as number) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#lengths[low - 1] ?? 0;
  }

  /** All messages. Those of a step whose calls have not all settled end in the assistant message. */
  get messages(): readonly ChatMessage[] {
    return this.#recent.length === 0 ? this.#history : [...this.#history, ...this.#recent];
  }

  /** The place behind this message; 0 if it is not there. */
  placeBehind(messageId: string): number {
    return 1 + this.messages.findIndex(({ id }) => id === messageId);
  }

  /** Where the last reply stands; 0 if there is none. */
  get lastReplyPlace(): number {
    const recent = this.#recent.findLastIndex(({ role }) => role === "assistant");
    if (recent !== -1) return this.#history.length + recent;
    return Math.max(
      0,
      this.#history.findLastIndex(({ role }) => role === "assistant"),
    );
  }

  at(place: number): ChatMessage | undefined {
    const recent = place - this.#history.length;
    return recent >= 0 ? this.#recent[recent] : this.#history[place];
  }

  /** Those that the entries after `after` added, up to that at `through`. */
  between(after: number, through: number): readonly ChatMessage[] {
    const start = this.#lengthAt(after);
    return this.from(start).slice(0, this.#lengthAt(through) - start);
  }

  /** Those from this place on. */
  from(place: number): readonly ChatMessage[] {
    const recent = place - this.#history.length;
    if (recent >= 0) return this.#recent.slice(recent);
    return [...this.#history.slice(place), ...this.#recent];
  }

  get length(): number {
    return this.#history.length + this.#recent.length;
  }

  has(messageId: string): boolean {
    const isIt = ({ id }: ChatMessage): boolean => id === messageId;
    return this.#recent.some(isIt) || this.#history.some(isIt);
  }

  /** The last message that a model may see; one of the application counts, as it may be made into one. */
  get last(): ChatMessage | undefined {
    return this.#recent.findLast(isShown) ?? this.#history.findLast(isShown);
  }

  /** The calls of the last step, also when all have settled, until something follows them. */
  get step(): CallStates | undefined {
    return this.#step;
  }

  /** Where a new turn begins: after everything. */
  startPoint(): EntryPoint {
    this.#gather();
    return { messages: this.#history };
  }

  /** Where an unfinished turn goes on: in its last step, whose results the kernel puts behind it again. */
  entryPoint(): EntryPoint {
    const { messages } = this;
    if (this.#step === undefined || this.#step.isEmpty) return { messages: [...messages] };
    const at = messages.lastIndexOf(this.#step.message);
    return { messages: messages.slice(0, at + 1), open: this.#step.toOpen() };
  }

  add(messages: readonly ChatMessage[]): void {
    this.#step = undefined;
    this.#recent.push(...messages);
  }

  addReply(message: AssistantMessage, step: number): void {
    this.#recent.push(message);
    this.#step = new CallStates(message, step);
  }

  /** The results become messages when the last one is there, in call order. */
  addResult(entry: EntryOf<"tool_result">): void {
    const step = this.#step;
    if (step === undefined || step.isSettled) return;
    step.settle(entry);
    if (!step.isSettled) return;
    this.#recent.push(...step.messagesWith(entry.toolCallId, entry.result));
  }

  /** Nothing of the last step is left to do. */
  closeStep(): void {
    this.#step = undefined;
  }

  replace(messages: readonly ChatMessage[]): void {
    this.#history = [...messages];
    this.#recent = [];
    this.#step = undefined;
    this.#addedAt = [];
    this.#lengths = [];
  }

  #gather(): void {
    for (const message of this.#recent) this.#history.push(message);
    this.#recent = [];
  }
}

function isShown(message: ChatMessage): boolean {
  return message.role !== "assistant" || message.stopReason !== "error";
}

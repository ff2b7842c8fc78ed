/** Messages of a session, and the step that is open at their end. */
import type { AssistantMessage, ChatMessage, OpenCall } from "@capstan/kernel";
import { CallStates } from "./call-states.ts";
import type { EntryOf } from "../entries/entries.ts";
import { appended, trimmed } from "./spare-room.ts";

/** Point at which a turn continues: the messages for the kernel, and the calls of the step in which they end. */
export interface EntryPoint {
  readonly messages: readonly ChatMessage[];
  readonly open?: readonly OpenCall[];
}

/**
 * First letter of the role, id, and the call of a result with another id, or why a reply without calls ended, or the source of a user's
 * message. There is one for each message, so they are short.
 */
type Position = readonly [role: keyof typeof roles, id: string, more?: string];

const roles = { s: "system", u: "user", a: "assistant", t: "tool", c: "custom" } as const;
const usualEnd = "tool-calls";

/** @internal State in a checkpoint. */
export interface SavedTranscript {
  readonly leftOut: readonly Position[];
  readonly messages: readonly ChatMessage[];
  /** For each entry that added messages: its distance from the one before, and how many it added. */
  readonly additions: readonly number[];
}

/** Up to this number of messages, looking at each is faster than a set. */
const fewMessages = 32;

/** Messages of a session, and where each of them is. */
export class TranscriptFold {
  /** Messages when the turn under way began: a list that does not change while it runs, so that the loop can use it without a copy. */
  #history: ChatMessage[] = [];
  #recent: ChatMessage[] = [];
  #step: CallStates | undefined;
  #list: readonly ChatMessage[] | undefined;
  /** Seqs of the entries that added messages, and the number of messages after each. */
  #addedAt: number[] = [];
  #lengths: number[] = [];
  /** Ids of the first messages, once there are many and one was looked up. */
  #ids: Set<string> | undefined;
  #idCount = 0;
  /** Number of messages, from the first on, of which only the position is known. */
  #leftOut = 0;

  /** Sets which entry was applied last. */
  mark(seq: number): void {
    const { length } = this;
    if (length === (this.#lengths.at(-1) ?? 0)) return;
    this.#addedAt = appended(this.#addedAt, seq);
    this.#lengths = appended(this.#lengths, length);
  }

  /** Number of messages after this entry that still exist: 0, if the history was replaced since. */
  lengthAt(seq: number): number {
    let low = 0;
    let high = this.#addedAt.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#addedAt[middle] as number) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#lengths[low - 1] ?? 0;
  }

  /**
   * Number of messages, from the first on, whose content was left out: the fold was loaded from a checkpoint. Their positions, ids and roles
   * are known.
   */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** All messages. In a step whose calls have not all settled, they end in the assistant message. */
  get messages(): readonly ChatMessage[] {
    return this.#recent.length === 0 ? this.#history : [...this.#history, ...this.#recent];
  }

  /** All messages but those left out, as a list that never changes: the same one until a message is added or removed. */
  get list(): readonly ChatMessage[] {
    return (this.#list ??= this.messages.slice(this.#leftOut));
  }

  /** Index after this message; 0 if it is not in the transcript. */
  indexAfter(messageId: string): number {
    return 1 + this.messages.findIndex(({ id }) => id === messageId);
  }

  /** Index of the last reply; 0 if there is none. */
  get lastReplyIndex(): number {
    const recent = this.#recent.findLastIndex(({ role }) => role === "assistant");
    if (recent !== -1) return this.#history.length + recent;
    return Math.max(
      0,
      this.#history.findLastIndex(({ role }) => role === "assistant"),
    );
  }

  at(index: number): ChatMessage | undefined {
    const recent = index - this.#history.length;
    return recent >= 0 ? this.#recent[recent] : this.#history[index];
  }

  /** Messages that the entries after `after` added, up to the entry at `through`. */
  between(after: number, through: number): readonly ChatMessage[] {
    const start = this.lengthAt(after);
    return this.from(start).slice(0, this.lengthAt(through) - start);
  }

  /** Messages from this index on. */
  from(index: number): readonly ChatMessage[] {
    const recent = index - this.#history.length;
    if (recent >= 0) return this.#recent.slice(recent);
    return [...this.#history.slice(index), ...this.#recent];
  }

  get length(): number {
    return this.#history.length + this.#recent.length;
  }

  has(messageId: string): boolean {
    if (this.length > fewMessages) return this.#knownIds().has(messageId);
    const isIt = ({ id }: ChatMessage): boolean => id === messageId;
    return this.#recent.some(isIt) || this.#history.some(isIt);
  }

  /** Whether the result of this call is among the messages. */
  hasResultOf(toolCallId: string): boolean {
    return this.messages.some(
      (message) => message.role === "tool" && message.toolCallId === toolCallId,
    );
  }

  #knownIds(): ReadonlySet<string> {
    const ids = (this.#ids ??= new Set());
    for (; this.#idCount < this.length; this.#idCount++) {
      const message = this.at(this.#idCount);
      if (message !== undefined) ids.add(message.id);
    }
    return ids;
  }

  #forgetIds(): void {
    this.#ids = undefined;
    this.#idCount = 0;
  }

  /** Last message that a model may see; custom messages count, because they may be converted to one. */
  get last(): ChatMessage | undefined {
    return this.#recent.findLast(isShown) ?? this.#history.findLast(isShown);
  }

  /** Calls of the last step, even if all have settled, until another message follows. */
  get step(): CallStates | undefined {
    return this.#step;
  }

  /** Point at which a new turn begins: after everything. */
  startPoint(): EntryPoint {
    this.#gather();
    return { messages: this.#history };
  }

  /** Point at which an unfinished turn continues: in its last step, whose results the kernel appends again. */
  entryPoint(): EntryPoint {
    const { messages } = this;
    if (this.#step === undefined || this.#step.isEmpty) return { messages: [...messages] };
    const at = messages.lastIndexOf(this.#step.message);
    return { messages: messages.slice(0, at + 1), open: this.#step.toOpen() };
  }

  add(messages: readonly ChatMessage[]): void {
    this.#step = undefined;
    for (const message of messages) this.#recent = appended(this.#recent, message);
    this.#list = undefined;
  }

  addReply(message: AssistantMessage, step: number): void {
    this.#recent = appended(this.#recent, message);
    this.#list = undefined;
    this.#step = new CallStates(message, step);
  }

  /** The results become messages in call order, once the last one is recorded. */
  addResult(entry: EntryOf<"tool_result" | "nested_result">): void {
    const step = this.#step;
    if (step === undefined || step.isSettled) return;
    if (entry.type === "nested_result") return step.settleNested(entry);
    step.settle(entry);
    if (!step.isSettled) return;
    for (const message of step.messagesWith(entry.toolCallId, entry.result)) {
      this.#recent = appended(this.#recent, message);
    }
    this.#list = undefined;
  }

  /** Closes the last step: nothing of it is left to do. */
  closeStep(): void {
    this.#step = undefined;
  }

  /** @internal State for a checkpoint, without the content of the first messages. */
  save(leftOut: number): SavedTranscript {
    const { messages } = this;
    return {
      leftOut: messages.slice(0, leftOut).map(toPosition),
      messages: messages.slice(leftOut),
      additions: this.#addedAt.flatMap((seq, index) => [
        seq - (this.#addedAt[index - 1] ?? 0),
        (this.#lengths[index] ?? 0) - (this.#lengths[index - 1] ?? 0),
      ]),
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ leftOut, messages, additions }: SavedTranscript): void {
    this.#leftOut = leftOut.length;
    this.#history = [...leftOut.map(fromPosition), ...messages];
    let [seq, length] = [0, 0];
    for (let i = 0; i < additions.length; i += 2) {
      // In range: they are pairs.
      this.#addedAt.push((seq += additions[i] as number));
      this.#lengths.push((length += additions[i + 1] as number));
    }
  }

  /** Puts the messages that were left out in place, in the lists that were given out, too. The first of these are them. */
  fillIn(messages: readonly ChatMessage[]): void {
    // In range: the positions are those of the same log.
    for (let i = 0; i < this.#leftOut; i++) this.#history[i] = messages[i] as ChatMessage;
    this.#leftOut = 0;
    this.#list = undefined;
  }

  replace(messages: readonly ChatMessage[]): void {
    this.#leftOut = 0;
    this.#history = [...messages];
    this.#list = undefined;
    this.#recent = [];
    this.#step = undefined;
    this.#addedAt = [];
    this.#lengths = [];
    this.#forgetIds();
  }

  /** Drops the spare room of the lists. */
  trim(): void {
    // `fillIn` changes the list that was given out.
    if (this.#leftOut === 0) this.#history = trimmed(this.#history);
    this.#recent = trimmed(this.#recent);
    this.#addedAt = trimmed(this.#addedAt);
    this.#lengths = trimmed(this.#lengths);
  }

  /** Keeps this number of messages, and nothing of a step. */
  cut(length: number): void {
    this.#history = this.messages.slice(0, length);
    this.#forgetIds();
    this.#list = undefined;
    this.#recent = [];
    this.#step = undefined;
    const first = this.#lengths.findIndex((each) => each >= length);
    this.#addedAt = length === 0 ? [] : this.#addedAt.slice(0, first + 1);
    this.#lengths = length === 0 ? [] : [...this.#lengths.slice(0, first), length];
  }

  #gather(): void {
    for (const message of this.#recent) this.#history.push(message);
    this.#recent = [];
  }
}

function isShown(message: ChatMessage): boolean {
  return message.role !== "assistant" || message.stopReason !== "error";
}

function toPosition(message: ChatMessage): Position {
  const { role, id } = message;
  switch (role) {
    case "tool":
      return message.toolCallId === id ? ["t", id] : ["t", id, message.toolCallId];
    case "assistant":
      return message.stopReason === usualEnd ? ["a", id] : ["a", id, message.stopReason];
    case "user":
      return message.source === undefined ? ["u", id] : ["u", id, message.source];
    case "system":
      return ["s", id];
    case "custom":
      return ["c", id];
    default:
      return role satisfies never;
  }
}

/** Message with this position and no content. */
function fromPosition([letter, id, more]: Position): ChatMessage {
  const role = roles[letter];
  switch (role) {
    case "tool":
      return { role, id, toolCallId: more ?? id, toolName: "", content: "", isError: false };
    case "assistant":
      return { role, id, content: [], stopReason: more ?? usualEnd };
    case "user":
      // A source that was saved is one.
      return { role, id, content: "", ...(more !== undefined && { source: more }) } as ChatMessage;
    case "system":
      return { role, id, content: "" };
    case "custom":
      return { role, id, kind: "", data: null };
    default:
      return role satisfies never;
  }
}

/** Changes of what a model is shown of a transcript: each is recorded in the context, the outputs and the prefix, and a rewind undoes it. */
import type { ChatMessage } from "@capstan/kernel";
import type { ContextChange, ContextFold } from "./context-fold.ts";
import type { EntryOf } from "../entries/entries.ts";
import type { OutputFold } from "./output-fold.ts";
import type { PrefixFold } from "./prefix-fold.ts";
import type { TranscriptFold } from "./transcript-fold.ts";

interface Shown {
  readonly transcript: TranscriptFold;
  readonly context: ContextFold;
  readonly outputs: OutputFold;
  readonly prefix: PrefixFold;
}

export class ShownFold {
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  evict(entry: EntryOf<"eviction">): void {
    const { transcript, prefix } = this.#shown;
    prefix.countRequests();
    const from = this.#apply(entry, transcript.length);
    prefix.change(Math.min(from, transcript.length));
  }

  quarantine(entry: EntryOf<"quarantine">): void {
    const { transcript, prefix } = this.#shown;
    prefix.countRequests();
    prefix.change(this.#apply(entry, transcript.length));
  }

  /** Another agent may be shown fewer or other messages. */
  handOff(entry: EntryOf<"handed_off">): void {
    const { transcript, prefix } = this.#shown;
    prefix.countRequests();
    prefix.change(this.#apply(entry, transcript.length));
  }

  withhold(entry: EntryOf<"input_rejected">): void {
    const { transcript, prefix } = this.#shown;
    prefix.countRequests();
    prefix.change(this.#apply(entry, transcript.length));
  }

  summarize(entry: EntryOf<"compaction">): void {
    const { transcript, prefix } = this.#shown;
    prefix.countRequests();
    prefix.change(this.#apply(entry, transcript.length));
  }

  /** Starts over with these messages. */
  replace(messages: readonly ChatMessage[]): void {
    const { transcript, context, outputs, prefix } = this.#shown;
    prefix.countRequests();
    transcript.replace(messages);
    context.reset();
    outputs.reset();
    outputs.add(messages, 0);
    prefix.reset();
  }

  /** Keeps this number of messages, and the changes that were made while there were no more. The others are void. */
  rewind(length: number): void {
    const { transcript, context, outputs, prefix } = this.#shown;
    prefix.countRequests();
    const changes = context.recorded;
    const isKept = ({ messageCount }: ContextChange): boolean => messageCount <= length;
    const voided = changes.filter((change) => !isKept(change));
    const from = Math.min(length, ...voided.map((change) => change.from));
    transcript.cut(length);
    context.reset();
    outputs.reset();
    let count = 0;
    const addUpTo = (end: number): void => {
      outputs.add(transcript.from(count).slice(0, end - count), count);
      count = end;
    };
    // In the order of the log: a change applies to the messages before it.
    for (const { entry, messageCount } of changes.filter(isKept)) {
      addUpTo(messageCount);
      this.#apply(entry, messageCount);
    }
    addUpTo(length);
    prefix.cut(length, from);
  }

  /** Returns the index of the first message that is shown differently. */
  #apply(entry: ContextChange["entry"], messageCount: number): number {
    const { context } = this.#shown;
    const from = this.#change(entry);
    context.apply({ entry, from, messageCount });
    return from;
  }

  #change(entry: ContextChange["entry"]): number {
    const { transcript, outputs } = this.#shown;
    switch (entry.type) {
      case "eviction":
        return outputs.evict(entry.toolCallIds);
      case "compaction":
        outputs.forgetBefore(transcript.indexAfter(entry.through));
        return 0;
      case "quarantine":
        return Math.max(0, transcript.indexAfter(entry.messageId) - 1);
      case "handed_off":
        return 0;
      case "input_rejected":
        return Math.max(0, transcript.indexAfter(entry.messageIds[0] ?? "") - 1);
      default:
        return entry satisfies never;
    }
  }
}

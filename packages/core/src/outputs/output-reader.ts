/** Finds outputs of a session by reference, including evicted ones. */
import type { ChatMessage, ToolContent, ToolMessage } from "@capstan/kernel";
import type { MaybePromise, SessionFold } from "@capstan/log";
import { andThen } from "@capstan/log";
import { fromBytes } from "./kept-output.ts";

/** Parts of the session's log that it needs. */
export interface OutputSource {
  readonly fold: SessionFold;
  /** Reads the messages that were left out. */
  complete(): MaybePromise<void>;
  getBlob(blob: string): MaybePromise<Uint8Array | undefined>;
}

export class OutputReader {
  readonly #source: OutputSource;

  constructor(source: OutputSource) {
    this.#source = source;
  }

  /** Reads all outputs, if some were left out. Must be called before the others. */
  complete(): MaybePromise<void> {
    return this.#source.complete();
  }

  /** A reference is the id of the call. */
  find(reference: string): ToolMessage | undefined {
    const isIt = (message: ChatMessage): boolean =>
      message.role === "tool" && message.toolCallId === reference;
    // The predicate ensures the type.
    return this.#messages.findLast(isIt) as ToolMessage | undefined;
  }

  /** Returns the whole output; undefined if the store has lost it. */
  read({ content, kept }: ToolMessage): MaybePromise<ToolContent | undefined> {
    if (kept === undefined) return content;
    return andThen(this.#source.getBlob(kept.blob), (bytes) =>
      bytes === undefined ? undefined : fromBytes(bytes, kept.mediaType),
    );
  }

  /** References of all outputs, newest first. */
  references(): readonly string[] {
    return this.#messages
      .flatMap((message) => (message.role === "tool" ? message.toolCallId : []))
      .reverse();
  }

  get #messages(): readonly ChatMessage[] {
    return this.#source.fold.transcript.messages;
  }
}

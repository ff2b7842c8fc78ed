/** Acknowledgements the client got: no crash may revert them. */
import type { ChatMessage, TurnResponse } from "@capstan/kernel";
import type { CompactionResult } from "@capstan/core";
import type { EntryOf, QueueOutcome } from "@capstan/log";
import type { CrashSettings } from "./scenario.ts";

export type Acknowledgement =
  /** A message or an interjection is in the log. */
  | { readonly type: "posted"; readonly id: string }
  /** The turn of this input ended with this response. */
  | { readonly type: "response"; readonly turnId: string; readonly response: TurnResponse }
  /** The session has the answer to this call: a success or an approval, or the opposite. */
  | { readonly type: "answered"; readonly toolCallId: string; readonly isYes: boolean }
  /** The session got an approval of this call from a client that did not know what is pending. */
  | { readonly type: "forged"; readonly toolCallId: string }
  /** The call was claimed for this client, which may run it. */
  | { readonly type: "claimed"; readonly toolCallId: string; readonly by: string }
  /** An abort was recorded before this turn, the first of its chain, had ended. */
  | { readonly type: "aborted"; readonly turnId: string }
  /** A turn was dropped. */
  | { readonly type: "abandoned" }
  | { readonly type: "settled"; readonly id: string; readonly outcome: QueueOutcome }
  /** Result of a requested compaction. */
  | { readonly type: "compacted"; readonly id: string; readonly result: CompactionResult }
  /** The session had these settings when the log had `length` entries. */
  | { readonly type: "configured"; readonly settings: CrashSettings; readonly length: number }
  /** The earlier history was gone when the log had `length` entries. */
  | {
      readonly type: "replaced";
      readonly by: EntryOf<"history_cleared" | "history_loaded">["type"];
      readonly length: number;
    }
  /** The session was opened or created, before its first message, and had this incarnation. */
  | { readonly type: "begun"; readonly incarnation: string }
  /** This fork of another session existed, with these messages. */
  | { readonly type: "forked"; readonly messages: readonly ChatMessage[] }
  /** The post had no effect and was refused with this code. */
  | { readonly type: "refused"; readonly id: string; readonly code: string };

export class Acknowledgements {
  readonly #all: Acknowledgement[] = [];
  readonly #onAdd: () => void;

  constructor(onAdd: () => void) {
    this.#onAdd = onAdd;
  }

  get all(): readonly Acknowledgement[] {
    return this.#all;
  }

  add(acknowledgement: Acknowledgement): void {
    this.#all.push(acknowledgement);
    this.#onAdd();
  }
}

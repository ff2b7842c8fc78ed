/** What the client was told: from then on no crash may take it back. */
import type { TurnResponse } from "@capstan/kernel";
import type { QueueOutcome } from "@capstan/log";

export type Acknowledgement =
  /** A steering message, a follow-up or an interjection is in the log. */
  | { readonly type: "posted"; readonly id: string }
  /** The turn of this input has come to this. */
  | { readonly type: "response"; readonly turnId: string; readonly response: TurnResponse }
  /** The session has the answer to this call. */
  | { readonly type: "answered"; readonly toolCallId: string }
  /** An abort was recorded, and this turn, the first of its chain, had not ended by then. */
  | { readonly type: "aborted"; readonly turnId: string }
  | { readonly type: "settled"; readonly id: string; readonly outcome: QueueOutcome }
  /** It has no effect and was refused with this code. */
  | { readonly type: "refused"; readonly id: string; readonly code: string };

export class Acknowledgements {
  readonly #all: Acknowledgement[] = [];

  get all(): readonly Acknowledgement[] {
    return this.#all;
  }

  add(acknowledgement: Acknowledgement): void {
    this.#all.push(acknowledgement);
  }
}

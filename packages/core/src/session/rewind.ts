/** Request to cut the history of a session. */
import type { EntryOf, PostedBody } from "@capstan/log";

/** Options of `session.rewind`. */
export interface RewindOptions {
  /** Removes the message too. Default false. */
  readonly before?: boolean;
  /** Posting the same id again has no effect. */
  readonly id?: string;
}

type Rewind = Extract<PostedBody, Pick<EntryOf<"history_rewound">, "type">>;

export function toRewind(to: string, isBefore: boolean): Rewind {
  return { type: "history_rewound", to, ...(isBefore && { isBefore }) };
}

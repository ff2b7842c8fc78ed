/** Blocks of a conversation: what a screen shows, without colours or widths. */
import type { JsonValue } from "@capstan/kernel";
import type { ChildShown } from "@capstan/log";

export type Block = UserBlock | ReplyBlock | ThinkingBlock | CallBlock | NoticeBlock;

interface UserBlock {
  readonly type: "user";
  readonly id: string;
  readonly text: string;
}

interface ReplyBlock {
  readonly type: "reply";
  readonly id: string;
  readonly text: string;
  /** True while more text may follow. */
  readonly isOpen: boolean;
}

interface ThinkingBlock {
  readonly type: "thinking";
  readonly id: string;
  readonly text: string;
  readonly isOpen: boolean;
}

/** `writing`: the model still sends the input. `waiting`: the call has not started, or waits for an answer. */
type CallState = "writing" | "waiting" | "running" | "done" | "failed" | "denied";

export interface CallBlock {
  readonly type: "call";
  /** Id of the call. */
  readonly id: string;
  readonly toolName: string;
  /** Undefined while the model sends it. */
  readonly input?: JsonValue;
  readonly state: CallState;
  /** Output so far, or the result. */
  readonly output: string;
  /** Details of the result for people, such as a diff. */
  readonly details?: JsonValue;
  /** The child session that works on it. */
  readonly child?: ChildShown;
}

interface NoticeBlock {
  readonly type: "notice";
  readonly id: string;
  readonly tone: "info" | "error";
  readonly text: string;
}

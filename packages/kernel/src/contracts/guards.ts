/** Guards: they judge what a model is asked, and what it replies, before it counts. */
import type { AssistantMessage, ChatMessage } from "./conversation.ts";

/** Verdict against a message or a reply. */
export interface Rejection {
  /** For people: it is the message of the turn's error. */
  readonly reason: string;
  /** Name of the guard. */
  readonly guard?: string;
  /** Text for the model, which is asked once more in this turn. Without it, the turn ends. Only for replies. */
  readonly retry?: string;
}

/** A reply to be judged. */
export interface ReplyToJudge {
  /** Text of the reply so far. */
  readonly text: string;
  /** The whole reply, once it is complete. */
  readonly message?: AssistantMessage;
}

type Verdict = Rejection | undefined;

/** Guards of a turn. One that fails ends the turn: what was not judged is neither shown nor sent. */
export interface LoopGuards {
  /** Judges messages of the user and of the application that the next request would show to a model for the first time. */
  readonly input?: ((messages: readonly ChatMessage[]) => Verdict | Promise<Verdict>) | undefined;
  /** Judges each reply. Its events are held back until then; a rejected reply is recorded as such, and neither shown nor sent to a model. */
  readonly output?: ((reply: ReplyToJudge) => Verdict | Promise<Verdict>) | undefined;
  /**
   * Also calls `output` while the reply streams, each time its text has grown by a sixteenth, and shows what has passed. A rejection then
   * takes back what was shown. Default false.
   */
  readonly isIncremental?: boolean | undefined;
}

/** What clients may say, as types. The schemas beside it let nothing else in. */
import type { Answer } from "@capstan/core";
import type { JsonSchema, JsonValue, ThinkingLevel, ToolChoice, UserPart } from "@capstan/kernel";
import type { SessionStatus } from "@capstan/log";

/** Which of the sessions that have had an id a client means: refused with `session_replaced` if it is another one by now. */
export interface WireIncarnation {
  readonly incarnation?: string;
}

export interface WireMessage {
  readonly role: "user";
  readonly content: string | readonly UserPart[];
  readonly metadata?: JsonValue;
}

export type WireInput = string | readonly UserPart[] | WireMessage;

/** A tool that the client runs. Whatever code it has does not survive JSON. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly label?: string;
  readonly needsApproval?: boolean;
  readonly answerWithinMs?: number;
}

export interface ExecuteRequest extends WireIncarnation {
  /** The id of a session, or the client's own key for one: the same key is the same session. */
  readonly sessionId?: string;
  readonly input: WireInput | readonly WireMessage[] | readonly Answer[];
  /** The id of the turn. The same one again gives the same turn. */
  readonly id?: string;
  readonly agent?: string;
  /** Who lends the tools. */
  readonly client?: string;
  readonly context?: {
    /** What was said before. Only a new session takes it. */
    readonly messages?: readonly WireMessage[];
    readonly tools?: readonly WireTool[];
  };
  readonly options?: {
    /** One of those that the server allows. */
    readonly model?: string;
    readonly thinkingLevel?: ThinkingLevel;
    readonly toolChoice?: ToolChoice;
    readonly temperature?: number;
    readonly maxTokens?: number;
    readonly topP?: number;
    readonly topK?: number;
    readonly stop?: readonly string[];
    readonly seed?: number;
    readonly frequencyPenalty?: number;
    readonly presencePenalty?: number;
  };
}

export interface QueueRequest extends WireIncarnation {
  readonly input: WireInput;
  readonly id?: string;
}

export interface AnswersRequest extends WireIncarnation {
  readonly answers: readonly Answer[];
}

export interface ClaimRequest extends WireIncarnation {
  readonly toolCallId: string;
  readonly client: string;
  /** How long others leave the call alone. */
  readonly leaseMs?: number;
}

export interface CancelRequest extends WireIncarnation {
  readonly turnId: string;
  readonly reason?: string;
}

export interface ForkRequest extends WireIncarnation {
  /** The id of the last message to keep. Default: all that is complete. */
  readonly at?: string;
}

export interface EventsPlace extends WireIncarnation {
  readonly after?: string;
}

export interface SessionPlace extends WireIncarnation {
  readonly sinceSeq?: number;
  /** Entries of a page, at most. */
  readonly limit?: number;
}

export interface ListChoices {
  readonly limit?: number;
  readonly after?: string;
  readonly agent?: string;
  readonly status?: SessionStatus;
}

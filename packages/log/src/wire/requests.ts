/** Requests of the HTTP API, as types. The server's schemas accept these fields and no others; the client sends them. */
import type { JsonSchema, JsonValue, UserPart } from "@capstan/kernel";
import type { StoredTurnOverrides } from "../entries/entries.ts";
import type { SessionStatus } from "../repository/repository.ts";
import type { Answer, ToolResultMessage } from "./answers.ts";

/** Identifies the session that a request means. If its id belongs to another session by now, the request is refused with `session_replaced`. */
export interface SessionTarget {
  readonly incarnation?: string;
}

/** A user message. */
export interface UserInput {
  readonly role: "user";
  readonly content: string | readonly UserPart[];
  /** Never shown to a model. */
  readonly metadata?: JsonValue;
}

/** Input that can be queued: a text, parts, or a message. */
export type QueuedInput = string | readonly UserPart[] | UserInput;

/** A client-side tool, as it is declared to the server. Functions do not survive JSON, so it has no `execute`. */
export interface LentToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly label?: string;
  readonly needsApproval?: boolean;
  /** Time limit for the answer to a call. */
  readonly answerWithinMs?: number;
}

/** Overrides that a client may set for one turn. Vendor options and service tiers decide what the server pays for, so only the server sets them. */
export type ClientTurnOverrides = Omit<StoredTurnOverrides, "providerOptions" | "serviceTier">;

/** Effect of a message on calls that wait for an answer. `settle` may state the reason that the model gets. */
export type IfPending = "refuse" | "settle" | { readonly settle: string };

/** Settings of one turn that a client may choose. */
export interface ExecuteOptions extends ClientTurnOverrides {
  /** Default `refuse`: the request fails with `calls_pending`. `settle`: they are denied or fail, and the turn continues with the message. */
  readonly ifPending?: IfPending;
  /** Streams the events of child sessions, too, in the format of a tree. Default false. */
  readonly tree?: boolean;
}

/** Request that starts a turn, or answers the calls that one waits for. */
export interface ExecuteRequest extends SessionTarget {
  /** Id of a session, or the client's own key for one: the same key is the same session. */
  readonly sessionId?: string;
  readonly input: QueuedInput | readonly UserInput[] | readonly (Answer | ToolResultMessage)[];
  /** Id of the turn. Sending it again returns the same turn. */
  readonly id?: string;
  readonly agent?: string;
  /** Name of the client that lends the tools. */
  readonly client?: string;
  readonly context?: {
    /** Earlier user messages. Accepted for a new session only. */
    readonly messages?: readonly UserInput[];
    readonly tools?: readonly LentToolDeclaration[];
  };
  readonly options?: ExecuteOptions;
}

/** Body of `steer` and `follow-up`. */
export interface QueueRequest extends SessionTarget {
  readonly input: QueuedInput;
  readonly id?: string;
}

/** Request that answers pending calls. */
export interface AnswersRequest extends SessionTarget {
  readonly answers: readonly Answer[];
}

/** Request of a client to run a pending call. */
export interface ClaimRequest extends SessionTarget {
  readonly toolCallId: string;
  readonly client: string;
  /** Time during which other clients leave the call alone. */
  readonly leaseMs?: number;
}

/** Request that aborts a turn. */
export interface CancelRequest extends SessionTarget {
  readonly turnId: string;
  readonly reason?: string;
}

/** Request that copies a session up to a message. */
export interface ForkRequest extends SessionTarget {
  /** Id of the last message to keep. Default: everything up to the last complete step. */
  readonly at?: string;
}

/** Request that takes a session back to a message. */
export interface RewindRequest extends SessionTarget {
  /** Id of the message that becomes the last one. */
  readonly to: string;
  /** Removes the message too. */
  readonly before?: boolean;
  /** Sending the same id again has no effect. */
  readonly id?: string;
}

/** Query of a session's event stream. */
export interface EventsQuery extends SessionTarget {
  /** Cursor of the last event that the reader has. */
  readonly after?: string;
  /** `"1"`: with the events of child sessions. Cursors are composite then. */
  readonly tree?: "0" | "1";
}

/** Query of a session. */
export interface SessionQuery extends SessionTarget {
  /** Only entries after this seq, and what they changed. */
  readonly sinceSeq?: number;
  /** Maximum number of entries in a page. */
  readonly limit?: number;
}

/** Query of the list of sessions. */
export interface SessionListQuery {
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  readonly agent?: string;
  readonly status?: SessionStatus;
}

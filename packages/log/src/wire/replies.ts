/** Replies of the HTTP API, as types. */
import type {
  ChatMessage,
  LiveMessage,
  LiveToolOutput,
  PendingCall,
  SerializedError,
  Usage,
} from "@capstan/kernel";
import type { StoredEntry } from "../entries/entries.ts";
import type { CallClaim, RunningCall } from "../folds/call-states.ts";
import type { QueuedItem } from "../folds/queue-fold.ts";
import type { SessionStatus } from "../repository/repository.ts";

/** A session without the lists that grow with it. */
export interface SessionOverview {
  readonly sessionId: string;
  /** Distinguishes the session from earlier ones with the same id. */
  readonly incarnation?: string | undefined;
  readonly agent: string;
  readonly title?: string | undefined;
  readonly status: SessionStatus;
  /** Name of the model that the next turn runs with. */
  readonly model: string;
  readonly usage: Usage;
  readonly totalCost?: number | undefined;
  readonly lastSeq: number;
  /** There are entries after `lastSeq`: this is a page. */
  readonly hasMore?: boolean;
  /** Cursor of the last event. */
  readonly cursor: string;
  /** State that no entry holds: the reply being written, and tool output so far. */
  readonly live: {
    readonly message?: LiveMessage;
    readonly toolOutputs: readonly LiveToolOutput[];
  };
  readonly pendingToolCalls: readonly PendingCall[];
  /** Calls that run on the server, or are about to. `live` has their output so far. */
  readonly runningToolCalls: readonly RunningCall[];
  readonly claims: readonly CallClaim[];
  readonly queues: {
    readonly steering: readonly QueuedItem[];
    readonly followUp: readonly QueuedItem[];
  };
  /** Failure of the last turn. */
  readonly error?: SerializedError | undefined;
}

/** Reply to `GET /api/agent/session/:id`. */
export interface SessionReply extends SessionOverview {
  /** Messages that the entries of this page added. */
  readonly messages: readonly ChatMessage[];
  /** Index of the first of them in the transcript: messages that a reader has from there on no longer exist. */
  readonly firstIndex: number;
  readonly entries: readonly StoredEntry[];
}

/** One session in a list. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly status: SessionStatus;
  readonly agent: string;
  readonly title?: string | undefined;
  readonly updatedAt: number;
  readonly lastSeq: number;
  /** No host can continue the session until its operator releases it. */
  readonly setAside?: { readonly reason: string; readonly at: number };
}

/** Reply to `GET /api/agent/sessions`. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[];
  /** `after` of the next page. Undefined on the last one. */
  readonly next?: string;
}

/** Reply to `steer` and `follow-up`: the message is durable. */
export interface QueueReply {
  readonly id: string;
}

/** Reply to answers: the status of the session, and the calls that still wait. */
export interface AnswersReply {
  readonly status: SessionStatus;
  /** Calls that are still unanswered. */
  readonly pendingToolCalls: readonly PendingCall[];
}

/** Reply to a claim: who holds the call, and until when. */
export interface ClaimReply {
  readonly toolCallId: string;
  readonly client: string;
  /** End of the claim, by the server's clock. */
  readonly until: number;
}

/** Reply to a cancellation. */
export interface CancelReply {
  readonly turnId: string;
  /** The turn had ended before, so nothing was canceled. */
  readonly isOver: boolean;
}

/** Reply to a fork: the id of the new session. */
export interface ForkReply {
  readonly sessionId: string;
}

/** Reply to a rewind: the last message that is left. */
export interface RewindReply {
  /** Id of the last message now. Undefined if there is none. */
  readonly lastMessageId?: string;
}

/** One field of a request that was refused. */
export interface RequestIssue {
  readonly path: string;
  readonly message: string;
}

/** Body of every reply that is an error. */
export interface ErrorReply {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly issues?: readonly RequestIssue[] | undefined;
  };
}

/** Entries of a session's log: facts in order, each in an envelope with its id, time and turn. */
import type {
  ChatMessage,
  Fact,
  JsonValue,
  PendingCall,
  ProviderOptionsByVendor,
  QueueMode,
  SamplingSettings,
  SerializedError,
  ThinkingLevel,
  ToolChoice,
  ToolDeclaration,
  ToolResult,
  Usage,
} from "@capstan/kernel";

import type { Checkpoint } from "../folds/checkpoint.ts";

/** Version of new entries. Older entries are upcast when a log is read. */
export const entryVersion = 1;

/** A client-side tool that was lent to a session. Its declaration is in the log, so no program needs to know it. */
export interface LentTool extends ToolDeclaration {
  readonly label?: string;
  readonly needsApproval?: boolean;
  readonly answerWithinMs?: number;
  /** Name of the client that lent it, as the client gave it. */
  readonly lentBy?: string;
}

/** Settings of a session, as they are stored. */
export interface SessionConfig extends SamplingSettings {
  /** Name of a model, as the agent or its `resolveModel` knows it. */
  readonly model?: string;
  readonly thinkingLevel?: ThinkingLevel;
  /** Names of the agent's tools, and tools that are lent to the session. */
  readonly tools?: readonly (string | LentTool)[];
  readonly instructions?: string;
  readonly steeringMode?: QueueMode;
  readonly followUpMode?: QueueMode;
  readonly title?: string;
  /** Takes precedence over the metadata that the session was created with. */
  readonly metadata?: JsonValue;
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** Overrides for one turn, and for the turns that continue it. */
export interface StoredTurnOverrides extends SamplingSettings {
  readonly model?: string;
  readonly thinkingLevel?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
  readonly providerOptions?: ProviderOptionsByVendor;
}

type FactOf<Type extends Fact["type"]> = Extract<Fact, { readonly type: Type }>;

/** Cost of a fact, which the kernel does not know. Undefined if costs are not wanted or not known. */
interface Priced {
  readonly cost?: number;
}

/** A fact as the kernel records it, with its turn and its price. Only delivered steering is recorded differently: as `queue_settled`. */
type FactBody = { readonly turnId: string } & (
  | FactOf<
      "attempt" | "pending" | "tool_intent" | "nested_intent" | "step_prepared" | "input_rejected"
    >
  /** `model` is also set if there is only one model. */
  | (FactOf<"attempt_ended"> & Priced & { readonly priceId?: string })
  /** The cost is that of the attempt that produced the reply. */
  | (FactOf<"message" | "tool_result" | "nested_result" | "suspended" | "turn_ended"> & Priced)
);

/** The call of another session that a session works on. */
export interface ParentCall {
  readonly sessionId: string;
  /** Incarnation of that session. */
  readonly incarnation?: string;
  /** Name of its agent. */
  readonly agent: string;
  /** Number of sessions above this one. */
  readonly depth: number;
}

/** Share of a parent's budgets that a child session and its own children may use. Fields that the parent has no limit for are absent. */
export interface BudgetSlice {
  /** Input and output together. */
  readonly tokens?: number;
  /** In dollars. */
  readonly cost?: number;
  readonly timeMs?: number;
}

/** Report of a child session to its parent about the call that it works on. */
export type ChildReport =
  /** It works again, after it had waited. */
  | { readonly type: "running" }
  /** It has used up its slice, and makes no further request until the parent answers. */
  | {
      readonly type: "asking";
      /** Spent so far, and reserved for its own children. */
      readonly used: BudgetSlice;
    }
  | { readonly type: "waiting"; readonly pending: readonly PendingCall[] }
  | {
      readonly type: "ended";
      readonly result: ToolResult;
      /** Total of the call, with the children of the child. */
      readonly usage: Usage;
      readonly cost?: number;
    };

/** Entries that only the owner of a session appends, under its lease. */
export type OwnedBody =
  /** First entry of every session. */
  | {
      readonly type: "created";
      /** Random, and new for every session: a session that was deleted and created again under its id has another one. */
      readonly incarnation?: string;
      readonly agent: string;
      readonly principal?: string;
      readonly title?: string;
      readonly metadata?: JsonValue;
      /** Application context of its turns, as the caller gave it. No client can set it. */
      readonly app?: JsonValue;
      readonly config?: SessionConfig;
      /** Set for a child session. No client can set it. */
      readonly parent?: ParentCall;
    }
  /**
   * `input` names the posted entries whose messages start the turn, in order. A turn that continues with answers, or that a cancel ends, has
   * none and `continues` another.
   */
  | {
      readonly type: "turn_started";
      readonly turnId: string;
      readonly input: readonly string[];
      readonly continues?: string;
    }
  /** Beginning of every request from here on: recorded at the first request, and when it changes. */
  | {
      readonly type: "prompt";
      readonly turnId: string;
      readonly instructions?: string;
      /** Hash of the tools' declarations, in order. */
      readonly toolsHash: string;
      /** Length of the declarations as JSON. */
      readonly toolsChars?: number;
    }
  /** Another owner resumes the turn. An open attempt is void. */
  | { readonly type: "turn_resumed"; readonly turnId: string; readonly epoch: number }
  | FactBody
  /** A child session is about to work on this call. Recorded before the child exists. */
  | {
      readonly type: "child_started";
      readonly turnId: string;
      readonly toolCallId: string;
      readonly childId: string;
      /** Name of the child's agent. */
      readonly agent: string;
      /** `background`: the call gets its result at once, and the child's result becomes a message of this session. Default: the call waits. */
      readonly mode?: "background";
      /** Time that a child in the background may work. Waiting for answers does not count. */
      readonly timeoutMs?: number;
      /** Slice of the budgets of the turn; absent if it has none. */
      readonly budget?: BudgetSlice;
    }
  /** Answer to a child that has used up its slice: what it may use in total from now on, or a refusal. Recorded before the child is told. */
  | {
      readonly type: "child_granted";
      readonly turnId: string;
      readonly toolCallId: string;
      readonly childId: string;
      /** That of the report. */
      readonly childSeq: number;
      readonly budget: BudgetSlice;
      readonly isRefused?: boolean;
    }
  /** Calls that wait in a child in the background, as it reported last; none, if it works again. They can be answered before this is recorded. */
  | {
      readonly type: "child_waiting";
      /** Between two turns this is the id of the child's turn, here and in the next entry. */
      readonly turnId: string;
      readonly toolCallId: string;
      readonly childId: string;
      /** That of the report. */
      readonly childSeq: number;
      readonly pending: readonly PendingCall[];
    }
  /**
   * The child no longer works on the call. `stopped`: the child was cancelled, because the call got its result in another way, or a caller stopped
   * a child in the background, or that ran out of time.
   */
  | {
      readonly type: "child_ended";
      readonly turnId: string;
      readonly toolCallId: string;
      readonly childId: string;
      readonly outcome: "answered" | "failed" | "stopped";
      /** Why a child in the background was stopped, if no caller did. Its report is then its result. */
      readonly reason?: "out-of-time";
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** The conversation belongs to another agent from the next request on. */
  | {
      readonly type: "handed_off";
      readonly turnId: string;
      readonly toolCallId: string;
      /** Name of that agent. */
      readonly agent: string;
      /** Ids of the messages that it is not shown. Those of an earlier handoff count no longer. */
      readonly hidden?: readonly string[];
    }
  /** Outcome of queued items: delivered to the model at a step (their messages follow here), or returned. */
  | {
      readonly type: "queue_settled";
      readonly turnId: string;
      readonly ids: readonly string[];
      readonly outcome:
        | { readonly type: "delivered"; readonly step: number }
        | { readonly type: "returned"; readonly reason: string };
    }
  /** A model is about to be asked for a summary. Its usage is in the entry that records the outcome. */
  | {
      readonly type: "compaction_started";
      /** Between two turns this is the id of the `compact` entry, here and in the following entries. */
      readonly turnId: string;
    }
  | {
      readonly type: "compaction";
      readonly turnId: string;
      /** Id of the last message that the summary replaces. */
      readonly through: string;
      readonly summary: string;
      /** Tokens of the context before the compaction. */
      readonly before: number;
      readonly after: number;
      /** Total over all attempts. */
      readonly usage?: Usage;
      readonly cost?: number;
      readonly model?: string;
      readonly priceId?: string;
      /** Ids of the `compact` entries that this one answers. */
      readonly requests?: readonly string[];
    }
  /** There is no summary, and the context stays as it is. */
  | {
      readonly type: "compaction_failed";
      readonly turnId: string;
      readonly reason: "nothing" | "failed" | "aborted";
      readonly before: number;
      readonly error?: SerializedError;
      readonly usage?: Usage;
      readonly cost?: number;
      readonly model?: string;
      readonly priceId?: string;
      readonly requests?: readonly string[];
    }
  /**
   * State of the session before this entry, without the content of messages that a summary replaces: a reader may begin here. A cache: it
   * follows from the entries before it, and copies of the log leave it out.
   */
  | {
      readonly type: "checkpoint";
      readonly state: Checkpoint;
      /** Checksum of the state. Without it the checkpoint is not used. */
      readonly sum?: string;
    }
  | {
      readonly type: "eviction";
      readonly turnId: string;
      readonly toolCallIds: readonly string[];
    }
  | {
      readonly type: "quarantine";
      readonly turnId: string;
      readonly messageId: string;
      readonly part: number;
    }
  | {
      readonly type: "forked_from";
      readonly sessionId: string;
      /** Last entry that was copied, by its seq in the other session. `seq` is this entry's own. */
      readonly throughSeq: number;
    };

/** A queued message, with the application context and the position in a trace of the turn that it starts, if it starts one. */
interface QueuedBody<Type extends "steer" | "follow_up"> {
  readonly type: Type;
  readonly message: ChatMessage;
  readonly app?: JsonValue;
  readonly trace?: string;
}

/** Entries that any process may post, without a lease; posting the same id twice gives one entry. */
export type PostedBody =
  /** Starts a turn with the same id, if the session accepts one at this entry. Without messages it continues from the transcript. */
  | {
      readonly type: "input";
      readonly messages: readonly ChatMessage[];
      readonly options?: StoredTurnOverrides;
      readonly metadata?: JsonValue;
      /** Application context of this turn and those that continue it, instead of the session's. */
      readonly app?: JsonValue;
      /**
       * Reason for the model. If calls are pending at this entry, they are settled with it, and the messages are delivered in the turn that
       * continues, after the results. Otherwise it has no effect.
       */
      readonly settles?: string;
      /** Position in a trace that the input was sent from, as a W3C `traceparent`. */
      readonly trace?: string;
      /** Call of the parent session that this turn, and those that continue it, work on. */
      readonly call?: string;
      /** Slice of the parent's budgets for this call. */
      readonly budget?: BudgetSlice;
    }
  | QueuedBody<"steer">
  | QueuedBody<"follow_up">
  /** Result of a call that was run outside. */
  | { readonly type: "answer"; readonly toolCallId: string; readonly result: ToolResult }
  | {
      readonly type: "decision";
      readonly toolCallId: string;
      /** Hash of the approved call: another tool, input or call is not approved. */
      readonly hash: string;
      readonly isApproved: boolean;
      readonly reason?: string;
    }
  /** A client is about to run a pending call: for this time the call is its own, and other clients leave it alone. */
  | {
      readonly type: "call_claimed";
      readonly toolCallId: string;
      readonly claimedBy: string;
      readonly leaseMs: number;
    }
  /** A child session reports about the call that it works on. */
  | {
      readonly type: "child_reported";
      readonly toolCallId: string;
      readonly childId: string;
      /** Seq of the child's log when it reported: an older report that arrives later has no effect. */
      readonly childSeq: number;
      readonly report: ChildReport;
    }
  /** The parent of a child session answers a report that asked for more of its budgets. */
  | {
      readonly type: "budget_granted";
      /** Call of the parent that the child works on. */
      readonly call: string;
      /** That of the report. */
      readonly childSeq: number;
      /** In total, with what was granted before. */
      readonly budget: BudgetSlice;
      readonly isRefused?: boolean;
    }
  | { readonly type: "queue_cleared"; readonly queue: "steering" | "followUp" | "all" }
  /** Cancels the turn and every turn that continues it. */
  | { readonly type: "cancel_requested"; readonly turnId: string; readonly reason?: string }
  /** Ends the turn, and the chain it belongs to, without running anything more. */
  | { readonly type: "abandon_requested"; readonly turnId: string; readonly reason?: string }
  | { readonly type: "config"; readonly config: SessionConfig }
  /** Requests a compaction of the context: before the next request of the turn under way, or at rest. */
  | { readonly type: "compact"; readonly directives?: string }
  /** These two take effect only if an input would be accepted. */
  | { readonly type: "history_cleared" }
  | { readonly type: "history_loaded"; readonly messages: readonly ChatMessage[] }
  /**
   * Cuts the history after the step of a message, or before it. Takes effect unless a turn runs; a suspended turn ends with it. The messages
   * after the cut stay in the log.
   */
  | {
      readonly type: "history_rewound";
      /** Id of the message. */
      readonly to: string;
      /** True if the message is removed too. */
      readonly isBefore?: boolean;
    };

/** Content of an entry, by its `type`. */
export type EntryBody = OwnedBody | PostedBody;
/** Type of an entry. */
export type EntryType = EntryBody["type"];

const postedTypes: ReadonlySet<EntryType> = new Set<PostedBody["type"]>([
  "input",
  "steer",
  "follow_up",
  "answer",
  "decision",
  "call_claimed",
  "child_reported",
  "budget_granted",
  "queue_cleared",
  "cancel_requested",
  "abandon_requested",
  "config",
  "compact",
  "history_cleared",
  "history_loaded",
  "history_rewound",
]);

/** Returns whether the entry may be written without the lease. */
export function isPosted({ type }: EntryBody): boolean {
  return postedTypes.has(type);
}

/** Envelope before the store has assigned a seq. */
export interface EntryEnvelope {
  readonly v: number;
  /** Unique in the session. */
  readonly id: string;
  /** Milliseconds on the writer's clock: for people, not for ordering. */
  readonly at: number;
}

/** An entry before the store gives it a position. */
export type NewEntry = EntryEnvelope & EntryBody;
/** An entry that any process may write, without the lease. */
export type PostedEntry = EntryEnvelope & PostedBody;
/** An entry of a log, at its position. */
export type Entry = NewEntry & { readonly seq: number };
/** Entry of one type. */
export type EntryOf<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;

/**
 * An entry as a store holds it: JSON with an envelope. It may have an older version or a type that only a newer program knows, so only
 * `parseEntry` looks inside.
 */
export interface StoredEntry {
  readonly seq: number;
  readonly v: number;
  readonly type: string;
  readonly id: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

/** What a session's log holds: facts, one after another, each in an envelope that says which, when and whose. */
import type {
  ChatMessage,
  Fact,
  JsonValue,
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

/** The version that new entries are written in. Older ones are brought up to it where a log is read. */
export const entryVersion = 1;

/** A tool that somebody outside runs. All that there is of it is in the log, so it needs no program that knows it. */
export interface LentTool extends ToolDeclaration {
  readonly label?: string;
  readonly needsApproval?: boolean;
  readonly answerWithinMs?: number;
  /** Who lent it, by the name that they gave themselves. */
  readonly lentBy?: string;
}

export interface SessionConfig extends SamplingSettings {
  /** The name of a model, as the agent or its `resolveModel` knows it. */
  readonly model?: string;
  readonly thinkingLevel?: ThinkingLevel;
  /** Names of tools of the agent, and tools that are lent to the session. */
  readonly tools?: readonly (string | LentTool)[];
  readonly instructions?: string;
  readonly steeringMode?: QueueMode;
  readonly followUpMode?: QueueMode;
  readonly title?: string;
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** What differs for one turn, and for those that continue it. */
export interface StoredTurnOverrides extends SamplingSettings {
  readonly model?: string;
  readonly thinkingLevel?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
  readonly providerOptions?: ProviderOptionsByVendor;
}

type FactOf<Type extends Fact["type"]> = Extract<Fact, { readonly type: Type }>;

/** What a fact costs, which the kernel does not know. Absent if that is not wanted or not known. */
interface Priced {
  readonly cost?: number;
}

/** A fact as the kernel records it, with its turn and its price. Only delivered steering is recorded otherwise: as `queue_settled`. */
export type FactBody = { readonly turnId: string } & (
  | FactOf<"attempt" | "pending" | "tool_intent">
  /** `model` is also there if only one could be asked. */
  | (FactOf<"attempt_ended"> & Priced & { readonly priceId?: string })
  /** The cost is that of the attempt that gave the reply. */
  | (FactOf<"message" | "tool_result" | "turn_ended"> & Priced)
);

/** Entries that only the owner of a session appends, under its lease. */
export type OwnedBody =
  /** The first entry of every session. */
  | {
      readonly type: "created";
      /** Random, and new whenever a session begins: a session that was deleted and begun again under its id has another. */
      readonly incarnation?: string;
      readonly agent: string;
      readonly principal?: string;
      readonly title?: string;
      readonly metadata?: JsonValue;
      readonly config?: SessionConfig;
    }
  /**
   * `input` names the posted entries whose messages start the turn, in order. A turn that goes on with answers, or that a
   * cancel ends, has none and `continues` another.
   */
  | {
      readonly type: "turn_started";
      readonly turnId: string;
      readonly input: readonly string[];
      readonly continues?: string;
    }
  /** What every request begins with from here on: recorded at the first one, and when it changes. */
  | {
      readonly type: "prompt";
      readonly turnId: string;
      readonly instructions?: string;
      /** Of the declarations of the tools, in their order. */
      readonly toolsHash: string;
      /** Of the same, as JSON. */
      readonly toolsChars?: number;
    }
  /** Another owner goes on with the turn. Whatever attempt was open is void. */
  | { readonly type: "turn_resumed"; readonly turnId: string; readonly epoch: number }
  | FactBody
  /** What became of queued items: delivered to the model at a step (their messages follow here), or returned. */
  | {
      readonly type: "queue_settled";
      readonly turnId: string;
      readonly ids: readonly string[];
      readonly outcome:
        | { readonly type: "delivered"; readonly step: number }
        | { readonly type: "returned"; readonly reason: string };
    }
  /** A model is about to be asked for a summary. What it uses is told by the entry that says what came of it. */
  | {
      readonly type: "compaction_started";
      /** Between two turns it is the id of the `compact` entry, and so in what follows. */
      readonly turnId: string;
    }
  | {
      readonly type: "compaction";
      readonly turnId: string;
      /** The id of the last message that the summary stands for. */
      readonly through: string;
      readonly summary: string;
      /** Tokens of the context. */
      readonly before: number;
      readonly after: number;
      /** Over all attempts. */
      readonly usage?: Usage;
      readonly cost?: number;
      readonly model?: string;
      readonly priceId?: string;
      /** The `compact` entries that are settled by it. */
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
      /** The last entry that was copied, as the other session counts. `seq` is this entry's own. */
      readonly throughSeq: number;
    };

/** Entries that anyone may post, without a lease; the same id twice is one entry. */
export type PostedBody =
  /** Starts a turn of the same id, if the session accepts one where this entry stands. Without messages it goes on from what is there. */
  | {
      readonly type: "input";
      readonly messages: readonly ChatMessage[];
      readonly options?: StoredTurnOverrides;
    }
  | { readonly type: "steer"; readonly message: ChatMessage }
  | { readonly type: "follow_up"; readonly message: ChatMessage }
  /** The result of a call that somebody outside has run. */
  | { readonly type: "answer"; readonly toolCallId: string; readonly result: ToolResult }
  | {
      readonly type: "decision";
      readonly toolCallId: string;
      /** Of what was approved: another tool, input or call is not. */
      readonly hash: string;
      readonly isApproved: boolean;
      readonly reason?: string;
    }
  /** Somebody is about to run a call that waits: for so long it is theirs, and others leave it alone. */
  | {
      readonly type: "call_claimed";
      readonly toolCallId: string;
      readonly claimedBy: string;
      readonly leaseMs: number;
    }
  | { readonly type: "queue_cleared"; readonly queue: "steering" | "followUp" | "all" }
  /** Stops the turn and every turn that continues it. */
  | { readonly type: "cancel_requested"; readonly turnId: string; readonly reason?: string }
  | { readonly type: "config"; readonly config: SessionConfig }
  /** Has the context compacted: before the next request of the turn under way, or at rest. */
  | { readonly type: "compact"; readonly directives?: string }
  /** These two have an effect only where an input would be accepted. */
  | { readonly type: "history_cleared" }
  | { readonly type: "history_loaded"; readonly messages: readonly ChatMessage[] };

export type EntryBody = OwnedBody | PostedBody;
export type EntryType = EntryBody["type"];

const postedTypes: ReadonlySet<EntryType> = new Set<PostedBody["type"]>([
  "input",
  "steer",
  "follow_up",
  "answer",
  "decision",
  "call_claimed",
  "queue_cleared",
  "cancel_requested",
  "config",
  "compact",
  "history_cleared",
  "history_loaded",
]);

export function isPosted({ type }: EntryBody): boolean {
  return postedTypes.has(type);
}

/** Before the store has given it a place. */
export interface EntryEnvelope {
  readonly v: number;
  /** Unique in the session. */
  readonly id: string;
  /** Milliseconds on the writer's clock: for people, not for order. */
  readonly at: number;
}

export type NewEntry = EntryEnvelope & EntryBody;
export type PostedEntry = EntryEnvelope & PostedBody;
export type Entry = NewEntry & { readonly seq: number };
export type EntryOf<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;

/**
 * An entry as a store holds it: JSON with an envelope. It may be of an older version or of a type that only a newer program
 * knows, so nobody but `parseEntry` looks inside.
 */
export interface StoredEntry {
  readonly seq: number;
  readonly v: number;
  readonly type: string;
  readonly id: string;
  readonly at: number;
  readonly [field: string]: unknown;
}
